#!/bin/bash
# Bash completes verbs, options, values, files and the command behind --.
. "$TESTS/cli/lib.sh"
. "$TESTS/cli/lib-completion.sh"

. "$TESTS/../completions/untorn.bash"

# The completions of a command line, whose last word is the one at the cursor, one a line.
complete_words() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _untorn 2>/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
}

offers() {
    local wanted=$1
    shift
    [ "$(complete_words "$@" | tr '\n' ' ')" = "$wanted " ] ||
        { complete_words "$@" && return 1; }
}

same_options() {
    diff <(options_of "$1") <(complete_words untorn "$1" -- | tr -d = | LC_ALL=C sort)
}

make_command
: >file1
check 'verbs' offers 'read restore' untorn re
check 'all verbs' offers \
    "$(printf '%s\n' help $verbs | LC_ALL=C sort | xargs)" untorn ''
for verb in $verbs; do
    check "the options of $verb, as its help has them" same_options "$verb"
done
check 'an option with a value' offers '--level=' untorn write --lev
check 'the values of an option' offers 'cache durable ordered' untorn write --level ''
check 'the values behind an equals sign' offers 'cache' untorn write --level = c
check 'the values right at the equals sign' offers 'follow refuse replace' untorn read --symlink =
check 'files' offers 'file1' untorn write fi
check 'directories for probe' offers 'folder' untorn probe f
check 'a directory for --state-dir' offers 'folder' untorn read --state-dir f
check 'options before the verb are skipped' offers '--records=' untorn --wait 3 append --rec
check 'options before the verb with = are skipped' \
    offers '--records=' untorn --wait = 3 append --rec
check 'the command behind --' offers 'command-of-this-test' untorn lock file1 -- command-of
check 'files for the command behind --' offers 'file1' untorn lock file1 -- cat fi
check 'no option of ours behind --' offers '' untorn lock file1 -- cat --rep
check 'the verbs of help' offers 'who write' untorn help w
summary
