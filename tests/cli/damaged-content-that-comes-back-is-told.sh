#!/bin/bash
# By undo, by restore, and of a set each file; what is whole, or no document, is not mentioned.
set -eu
printf '{"a":' >a.json
echo '{}' >whole.json
printf '{"a":' >text
echo 1 >one
"$UNTORN" write a.json <whole.json 2>/dev/null
"$UNTORN" undo a.json
"$UNTORN" undo a.json 2>/dev/null
"$UNTORN" restore a.json 1
"$UNTORN" write text <one
"$UNTORN" undo text
"$UNTORN" commit a.json=whole.json b.json=whole.json 2>/dev/null
"$UNTORN" undo a.json
cat a.json
