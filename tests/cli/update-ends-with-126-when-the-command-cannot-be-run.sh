#!/bin/bash
echo old >file
untorn update file -- ./file
