#!/bin/bash
mkdir source
echo old >file
untorn write file source
