#!/bin/bash
printf 'a\0' >file
echo bcd | untorn write --dry-run file
printf '\0' | untorn write --dry-run new
untorn write --dry-run empty </dev/null
