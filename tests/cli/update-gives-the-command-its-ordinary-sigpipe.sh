#!/bin/bash
untorn update file -- sh -c "yes | head -1"
cat file
