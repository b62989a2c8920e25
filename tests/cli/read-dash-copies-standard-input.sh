#!/bin/bash
printf "a\nb" | untorn read -
