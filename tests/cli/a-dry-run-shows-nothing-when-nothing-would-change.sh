#!/bin/bash
echo text >file
untorn write --dry-run file file
