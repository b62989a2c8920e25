#!/bin/bash
echo text >file
untorn read file >&-
