#!/bin/bash
echo >file
untorn lock file -- ./file
