#!/bin/bash
echo a | untorn update - -- sh -c "cat; exit 4"
