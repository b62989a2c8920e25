#!/bin/bash
echo old | untorn write a
echo old | untorn write 'b "c"'
echo new >1
untorn commit a=1 'b "c"=1'
untorn undo --report a | sed "s#$PWD#HERE#g"
untorn undo --report a >report
"$PYTHON" -c 'import json; print(len(json.load(open("report"))["files"]))'
echo alone | untorn write a
untorn undo --report a
