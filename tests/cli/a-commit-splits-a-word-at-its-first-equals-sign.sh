#!/bin/bash
echo new >x=y
untorn commit a=x=y && cat a
