#!/bin/bash
printf 'a\nb' | untorn write -
