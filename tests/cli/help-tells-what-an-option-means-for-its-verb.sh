#!/bin/bash
untorn commit --help | grep "^  --if-match"
untorn write --help | grep "^  --if-match"
for verb in undo restore commit; do untorn $verb --help | grep -e '--keep N'; done
untorn commit a=b --if-match
