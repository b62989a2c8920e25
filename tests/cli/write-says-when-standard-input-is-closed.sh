#!/bin/bash
echo old >file
untorn write file <&-
