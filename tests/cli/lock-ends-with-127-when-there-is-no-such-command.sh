#!/bin/bash
untorn lock file -- no-such-command
