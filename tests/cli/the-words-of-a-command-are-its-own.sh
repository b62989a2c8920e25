#!/bin/bash
untorn lock file -- printf "%s\n" --wait -- --help
