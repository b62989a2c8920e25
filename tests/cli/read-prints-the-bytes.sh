#!/bin/bash
printf 'a\0b\377' >file
untorn read file | od -An -c
