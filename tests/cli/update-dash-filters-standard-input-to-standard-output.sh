#!/bin/bash
printf "b\na\n" | untorn update - -- sort
