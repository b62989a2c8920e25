# shellcheck shell=bash
# After cli/lib.sh: what the tests of completions share. They say how a line is completed, by a
# function complete_line LINE that prints what is offered; bash completes words instead, and has its
# own offers and same_options.

# offers WANTED LINE
offers() {
    local wanted=$1
    shift
    [ "$(complete_line "$1" | tr '\n' ' ')" = "$wanted " ] || { complete_line "$1" && return 1; }
}

options_of() {
    untorn "$1" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | LC_ALL=C sort
}

same_options() {
    diff <(options_of "$1") <(complete_line "untorn $1 --" | tr -d = | LC_ALL=C sort)
}

# A folder, and a command to complete.
make_command() {
    mkdir folder bin
    printf '#!/bin/sh\n' >bin/command-of-this-test
    chmod +x bin/command-of-this-test
    PATH=$PWD/bin:$PATH
}
