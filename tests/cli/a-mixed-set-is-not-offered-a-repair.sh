#!/bin/bash
# Neither alone, nor beside what a repair does clear up.
echo 0 >zero
echo 1 >one
"$UNTORN" commit a=zero b=zero
"$UNTORN" commit a=one b=one
cp zero a
"$UNTORN" check . 2>&1 >/dev/null | sed 's/ (bring.*--/ --/; s/(bring.*/mixed/'
echo torn >.untorn/stage/b.0123456789abcdef
"$UNTORN" check . 2>&1 >/dev/null | sed 's/(bring.*/mixed/'
"$UNTORN" check --repair . 2>&1 >/dev/null | sed 's/(bring.*/mixed/'
echo "status ${PIPESTATUS[0]}"
"$UNTORN" commit a=a b=b
"$UNTORN" check . && echo whole
