#!/bin/bash
# Fish completes verbs, options, values, files and the command behind --.
. "$TESTS/cli/lib.sh"
. "$TESTS/cli/lib-completion.sh"

command -v fish >/dev/null || { echo 'fish is not installed' && exit 77; }
export HOME=$PWD XDG_CONFIG_HOME=$PWD/config XDG_DATA_HOME=$PWD/data

complete_line() {
    fish --no-config -c "source $TESTS/../completions/untorn.fish; complete -C '$1'" |
        cut -f 1 | LC_ALL=C sort
}

make_command
: >file1
check 'verbs' offers 'read restore' 'untorn re'
check 'all verbs' offers \
    "$(printf '%s\n' help $verbs | LC_ALL=C sort | xargs)" 'untorn '
for verb in $verbs; do
    check "the options of $verb, as its help has them" same_options "$verb"
done
check 'the values of an option' offers 'cache durable ordered' 'untorn write --level '
check 'files' offers 'file1' 'untorn write fi'
check 'directories for probe' offers 'folder/' 'untorn probe f'
check 'options before the verb are skipped' offers '--records' 'untorn --wait 3 append --rec'
check 'the command behind --' offers 'command-of-this-test' 'untorn lock file1 -- command-of'
check 'files for the command behind --' offers 'file1' 'untorn lock file1 -- cat fi'
check 'the verbs of help' offers 'who write' 'untorn help w'
summary
