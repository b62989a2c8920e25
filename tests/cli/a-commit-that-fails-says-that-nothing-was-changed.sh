#!/bin/bash
echo new >1
untorn commit a=1 --remove gone
untorn commit --remove gone
[ ! -e a ]
