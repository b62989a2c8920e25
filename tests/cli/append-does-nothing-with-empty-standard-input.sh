#!/bin/bash
untorn append log </dev/null
ls -A
