#!/bin/bash
# Neither the leftovers nor the document: one message.
mkfifo fifo.json
ln -s loop.json loop.json
for file in fifo.json loop.json; do
    status=0
    "$UNTORN" check $file 2>messages || status=$?
    echo "$(wc -l <messages) message, status $status"
done
