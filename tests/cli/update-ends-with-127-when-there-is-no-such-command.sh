#!/bin/bash
echo old >file
untorn update file -- no-such-command
