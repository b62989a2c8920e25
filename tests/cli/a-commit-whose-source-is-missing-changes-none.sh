#!/bin/bash
set -eu
echo new >n
"$UNTORN" commit a=n b=missing || echo $?
ls
