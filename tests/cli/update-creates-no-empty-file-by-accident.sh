#!/bin/bash
untorn update typo.json -- jq .
status=$?
ls
exit $status
