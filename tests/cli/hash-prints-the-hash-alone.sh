#!/bin/bash
printf "" >file
untorn hash file
printf "" | untorn hash -
printf abc | untorn hash -
