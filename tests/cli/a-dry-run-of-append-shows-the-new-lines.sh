#!/bin/bash
printf 'one' >log
printf 'two' | untorn append --dry-run log
printf 'x\n' | untorn append --dry-run new
cat log
