#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 0 untorn probe --report .
jq -e '.verb == "probe" and .path == "." and .writable and .lock and .replace and
    (.promises | type) == "boolean" and (.filesystem | length) > 0' out
