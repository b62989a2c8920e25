#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

echo old >file
untorn lock file -- env -u UNTORN_LOCK untorn write --dry-run --wait 0 file < <(echo new) >out
grep -qx -- -old out && grep -qx -- +new out
