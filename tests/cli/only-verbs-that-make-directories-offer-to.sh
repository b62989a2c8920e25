#!/bin/bash
for verb in read hash log show diff 'restore --dry-run' undo 'get --format json' check; do
    case $verb in restore*) more=1 ;; get*) more=a ;; *) more= ;; esac
    "$UNTORN" $verb no/x $more 2>&1 | grep -e --parents && echo "$verb"
done
for verb in write append 'set --format json'; do
    case $verb in set*) more='a 1' ;; *) more= ;; esac
    echo 1 | "$UNTORN" $verb no/x $more 2>&1 | grep -c -e '; --parents makes it$'
done
echo 1 >source
"$UNTORN" commit no/x=source 2>&1 | grep -c -e '; --parents makes it$'
