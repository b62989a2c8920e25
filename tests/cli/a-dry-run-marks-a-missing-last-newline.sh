#!/bin/bash
printf 'a\nb' >file
printf 'a\nb\n' | untorn write --dry-run file
