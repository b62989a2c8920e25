#!/bin/bash
untorn write --report --dry-run file
