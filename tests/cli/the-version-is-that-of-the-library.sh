#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

version=$(sed -n 's/^#define UNTORN_VERSION "\(.*\)"$/\1/p' "$TESTS/../include/untorn/version.h")
[ "$(untorn --version)" = "untorn $version" ] || fail "$(untorn --version), not untorn $version"
