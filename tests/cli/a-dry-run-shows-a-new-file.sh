#!/bin/bash
echo text | untorn write --dry-run file
ls -A
