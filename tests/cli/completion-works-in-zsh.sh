#!/bin/bash
# Zsh completes verbs, options, values, files and the command behind --.
. "$TESTS/cli/lib.sh"
. "$TESTS/cli/lib-completion.sh"

command -v zsh >/dev/null || { echo 'zsh is not installed' && exit 77; }

# An interactive zsh on a terminal of its own. For each line of the file `lines` it is given the
# line and a key that writes what would be offered there into offers.N.
cat >keys.zsh <<'Z'
PS1= PROMPT_EOL_MARK=
fpath=($TESTS/../completions $fpath)
autoload -Uz compinit
compinit -u -d dump
show() {
    local -a all
    compadd() {
        local -a got
        builtin compadd -O got "$@"
        all+=($got)
        builtin compadd "$@"
    }
    _main_complete
    unfunction compadd
    print -rl -- $all END >offers.new
    mv offers.new offers
    compstate[insert]= compstate[list]=
}
zle -C show complete-word show
bindkey '^T' show
bindkey '^U' kill-whole-line
print >ready
Z
cat >session.zsh <<'Z'
zmodload zsh/zpty
wait_for() {
    integer turn
    for ((turn = 0; turn < 1000; turn++)); do
        [[ -e $1 ]] && return
        sleep 0.01
    done
    print "no $1"
    exit 1
}
zpty shell zsh -f -i
zpty -w shell 'source ./keys.zsh'
wait_for ready
integer number
for line in ${(f)"$(<lines)"}; do
    zpty -w -n shell $'\x15'$line$'\x14'
    wait_for offers
    mv offers offers.$((++number))
done
zpty -d shell
Z

lines=('untorn re' 'untorn ')
for verb in $verbs; do
    lines+=("untorn $verb --")
done
lines+=('untorn write --level ' 'untorn write fi' 'untorn probe f' 'untorn lock x -- cat fi'
    'untorn lock x -- command-of' 'untorn help w')
make_command
: >file1
printf '%s\n' "${lines[@]}" >lines
zsh -f session.zsh >session.out 2>&1 || fail "$(cat session.out)"

complete_line() {
    local i
    for ((i = 0; i < ${#lines[@]}; i++)); do
        [ "${lines[i]}" = "$1" ] && sed -e '/^END$/d' -e '/^$/d' "offers.$((i + 1))" |
            LC_ALL=C sort -u && return
    done
    echo "no such line: $1"
}

check 'verbs' offers 'read restore' 'untorn re'
check 'all verbs' offers \
    "$(printf '%s\n' help $verbs | LC_ALL=C sort | xargs)" 'untorn '
for verb in $verbs; do
    check "the options of $verb, as its help has them" same_options "$verb"
done
check 'the values of an option' offers 'cache durable ordered' 'untorn write --level '
check 'files' offers 'file1' 'untorn write fi'
check 'directories for probe' offers 'folder' 'untorn probe f'
check 'the command behind --' offers 'command-of-this-test' 'untorn lock x -- command-of'
check 'files for the command behind --' offers 'file1' 'untorn lock x -- cat fi'
check 'the verbs of help' offers 'who write' 'untorn help w'
summary
