#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

expect 3 untorn who --report file
jq -e '. == {verb: "who", path: "file", held: false, shared: false, alive: false, pid: 0,
    since: 0, host: "", command: ""}' out
untorn lock file -- untorn who --report file >out
jq -e '.held and (.shared | not) and .alive and .pid > 0 and .since > 1700000000 and
    .host != ""' out
