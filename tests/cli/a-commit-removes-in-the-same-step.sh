#!/bin/bash
echo old | untorn write a
echo old | untorn write b
echo new | untorn commit a=- --remove b && cat a
[ -e b ] || echo gone
