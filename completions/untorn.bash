# Completion of untorn(1) for bash. Works with and without the bash-completion package.

# The options of a verb; those that take a value end with =.
_untorn_options() {
    local edit='--if-match= --keep= --keep-inode --format='
    local saving='--level= --mode= --parents --symlink= --wait= --lock-file= --state-dir= --strict'
    case $1 in
    set)
        echo "--segments --string --json --toml --from= $edit $saving --dry-run --report --help"
        ;;
    unset)
        echo "--segments $edit ${saving/--parents /} --dry-run --report --help"
        ;;
    ensure)
        echo "--segments --string --json --toml --from= --uuid ${edit/--if-match= /} $saving" \
            "--dry-run --report --help"
        ;;
    apply) echo "--merge-patch= --json-patch= $edit $saving --dry-run --report --help" ;;
    edit)
        echo "--format= --force --allow-empty --keep-inode ${saving/--symlink= /} --dry-run" \
            "--report --help"
        ;;
    write)
        echo "--keep= --if-match= --if-changed --exclusive --allow-empty --keep-inode $saving" \
            "--dry-run --report --help"
        ;;
    update)
        echo "--if-changed --allow-empty $edit $saving --dry-run --report --help"
        ;;
    append) echo "--records= $saving --dry-run --report --help" ;;
    commit)
        echo "--remove= --if-match= --if-changed --exclusive --allow-empty --keep= --level= --mode=" \
            "--parents --symlink= --wait= --state-dir= --strict --dry-run --report --help"
        ;;
    restore | undo)
        echo "--if-match= --keep= --level= --symlink= --wait= --state-dir= --strict --dry-run" \
            "--report --help"
        ;;
    log) echo "--symlink= --state-dir= --report --help" ;;
    show | diff) echo "--symlink= --state-dir= --help" ;;
    get) echo "--segments --json --tagged --default= --format= --symlink= --state-dir= --help" ;;
    read) echo "--format= --last-good --symlink= --state-dir= --help" ;;
    config)
        echo "--app= --schema= --scope= --file= --override= --show-origin --default= --segments" \
            "--string --json --toml --from= --format= --keep= --level= --wait= --state-dir= --strict" \
            "--dry-run --report --help"
        ;;
    hash) echo "--symlink= --state-dir= --help" ;;
    lock) echo "--shared --parents --symlink= --wait= --lock-file= --state-dir= --strict --help" ;;
    who) echo "--symlink= --lock-file= --state-dir= --report --help" ;;
    probe) echo "--strict --report --help" ;;
    check)
        echo "--format= --repair --abandon --verbose --symlink= --wait= --state-dir= --report --help"
        ;;
    esac
}

# The values of an option, as completions of a word.
_untorn_values() {
    case $1 in
    --level) COMPREPLY=($(compgen -W 'durable ordered cache' -- "$2")) ;;
    --symlink) COMPREPLY=($(compgen -W 'follow replace refuse' -- "$2")) ;;
    --scope) COMPREPLY=($(compgen -W 'global project local' -- "$2")) ;;
    --records) COMPREPLY=($(compgen -W 'text jsonl' -- "$2")) ;;
    --format) COMPREPLY=($(compgen -W 'json jsonc toml toml-1.0' -- "$2")) ;;
    --mode) COMPREPLY=($(compgen -W '600 640 644' -- "$2")) ;;
    --state-dir) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
    --lock-file | --from | --merge-patch | --json-patch | --remove | --schema)
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        ;;
    --wait | --if-match | --default | --keep | --app | --file | --override) COMPREPLY=() ;;
    *) return 1 ;;
    esac
}

_untorn() {
    local verbs='set unset ensure apply edit write update append commit get read hash config log show'
    verbs+=' diff restore undo lock who probe check help'
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local verb='' i
    COMPREPLY=()

    # Bash splits --level=cache into three words where = is in COMP_WORDBREAKS.
    if [[ $current == = ]]; then
        current='' previous=${COMP_WORDS[COMP_CWORD - 1]}
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi

    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --)
            if [[ $verb == lock || $verb == update ]]; then
                if declare -F _command_offset >/dev/null; then
                    _command_offset $((i + 1))
                elif ((i + 1 == COMP_CWORD)); then
                    mapfile -t COMPREPLY < <(compgen -c -- "$current")
                else
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                fi
                return
            fi
            ;;
        --mode | --level | --if-match | --symlink | --wait | --state-dir | --lock-file | \
            --records | --format | --default | --from | --merge-patch | --json-patch | \
            --remove | --keep | --app | --schema | --scope | --file | --override)
            [[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))
            ((i++))
            ;;
        -*) ;;
        *) [[ $verb ]] || verb=${COMP_WORDS[i]} ;;
        esac
    done

    _untorn_values "$previous" "$current" && return
    if [[ ! $verb ]]; then
        if [[ $current == -* ]]; then
            COMPREPLY=($(compgen -W '--help --version' -- "$current"))
        else
            COMPREPLY=($(compgen -W "$verbs" -- "$current"))
        fi
    elif [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$(_untorn_options "$verb")" -- "$current"))
        if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
            compopt -o nospace 2>/dev/null
        fi
    elif [[ $verb == help ]]; then
        COMPREPLY=($(compgen -W "${verbs% help}" -- "$current"))
    elif [[ $verb == config ]]; then
        COMPREPLY=($(compgen -W 'get set unset list path check' -- "$current"))
    elif [[ $verb == probe ]]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
}

complete -o filenames -F _untorn untorn
