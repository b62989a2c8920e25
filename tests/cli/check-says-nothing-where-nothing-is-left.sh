#!/bin/bash
echo text | untorn write file
untorn check
untorn check file .
untorn check --repair --abandon
