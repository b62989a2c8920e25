#!/bin/bash
echo one | untorn write --keep 1001 file
