# Completion of untorn(1) for fish.

# The verb of the command line, if there is one yet. A word behind an option that takes a value
# is that value.
function __untorn_verb
    set -l skip no
    for word in (commandline -opc)[2..-1]
        if test $skip = yes
            set skip no
            continue
        end
        switch $word
            case --mode --level --if-match --symlink --wait --state-dir --lock-file --records \
                    --format --default --from --merge-patch --json-patch --remove --keep \
                    --app --schema --scope --file --override
                set skip yes
            case '-*'
            case '*'
                echo $word
                return 0
        end
    end
    return 1
end

function __untorn_needs_verb
    not __untorn_verb >/dev/null
end

function __untorn_in_command
    contains -- -- (commandline -opc)
end

# True inside one of these verbs, before its command.
function __untorn_in
    set -l verb (__untorn_verb)
    and contains -- $verb $argv
    and not __untorn_in_command
end

# What stands behind --, up to the cursor: a command of its own.
function __untorn_command
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- $words[(math $at + 1)..-1])
end

complete -c untorn -f
complete -c untorn -n 'not __untorn_needs_verb; and not __untorn_in_command; and not __untorn_in help probe config' -F
complete -c untorn -n '__untorn_in config' -xa 'get set unset list path check'
complete -c untorn -n '__untorn_in probe' -xa '(__fish_complete_directories)'
complete -c untorn -n __untorn_in_command -xa '(__untorn_command)'

complete -c untorn -n __untorn_needs_verb -a set -d 'Set values in a JSON or TOML document'
complete -c untorn -n __untorn_needs_verb -a unset -d 'Remove keys from a JSON or TOML document'
complete -c untorn -n __untorn_needs_verb -a ensure -d 'Print a value, created if it is not there'
complete -c untorn -n __untorn_needs_verb -a apply -d 'Apply a patch to a JSON or TOML document'
complete -c untorn -n __untorn_needs_verb -a edit -d 'Edit a file in your editor, on a copy that is checked'
complete -c untorn -n __untorn_needs_verb -a write -d 'Replace a file, whole or not at all'
complete -c untorn -n __untorn_needs_verb -a update -d 'Let a command filter a file, under its lock'
complete -c untorn -n __untorn_needs_verb -a append -d 'Add lines to a log, none torn or fused'
complete -c untorn -n __untorn_needs_verb -a commit -d 'Replace several files, all or none'
complete -c untorn -n __untorn_needs_verb -a get -d 'Print a value of a JSON or TOML document'
complete -c untorn -n __untorn_needs_verb -a read -d 'Print a file, one whole version of it'
complete -c untorn -n __untorn_needs_verb -a hash -d 'Print the content hash of a file'
complete -c untorn -n __untorn_needs_verb -a config -d 'Read and write the configuration of an application'
complete -c untorn -n __untorn_needs_verb -a log -d 'List the earlier versions of a file'
complete -c untorn -n __untorn_needs_verb -a show -d 'Print an earlier version of a file'
complete -c untorn -n __untorn_needs_verb -a diff -d 'Show what changed since an earlier version'
complete -c untorn -n __untorn_needs_verb -a restore -d 'Make an earlier version the current one'
complete -c untorn -n __untorn_needs_verb -a undo -d 'Take the last change of a file back'
complete -c untorn -n __untorn_needs_verb -a lock -d 'Run a command while holding the lock of files'
complete -c untorn -n __untorn_needs_verb -a who -d 'Tell who holds the lock of a file'
complete -c untorn -n __untorn_needs_verb -a probe -d 'Try out what a file system really gives'
complete -c untorn -n __untorn_needs_verb -a check -d 'Tell damaged documents, and what dead writers left'
complete -c untorn -n __untorn_needs_verb -a help -d 'Show the help of a verb'
complete -c untorn -n __untorn_needs_verb -l version -d 'Show the version'
complete -c untorn -n 'not __untorn_in_command' -s h -l help -d 'Show the help'
complete -c untorn -n '__untorn_in help' -xa 'set unset ensure apply edit write update append commit get read hash config log show diff restore undo lock who probe check'

complete -c untorn -n '__untorn_in set unset apply write update commit restore undo' -l if-match -x -d 'Only if this is the hash now'
complete -c untorn -n '__untorn_in write update commit' -l if-changed -d 'Leave a file alone that has this content'
complete -c untorn -n '__untorn_in write commit' -l exclusive -d 'Create the file; fail if it exists'
complete -c untorn -n '__untorn_in edit write update commit' -l allow-empty -d 'Let empty content replace content'
complete -c untorn -n '__untorn_in set unset ensure get config' -s k -l segments -d 'The words behind the file are steps of one key'
complete -c untorn -n '__untorn_in set ensure config' -l string -d 'The value is a string'
complete -c untorn -n '__untorn_in set ensure get config' -l json -d 'The value as JSON'
complete -c untorn -n '__untorn_in set ensure config' -l toml -d 'The value as TOML'
complete -c untorn -n '__untorn_in get' -l tagged -d 'As JSON that names every type'
complete -c untorn -n '__untorn_in get config' -l default -x -d 'Print this if the file or key is missing'
complete -c untorn -n '__untorn_in set ensure config' -l from -rF -d 'Read the value from a file, or -'
complete -c untorn -n '__untorn_in apply' -l merge-patch -rF -d 'Members to set, null removes'
complete -c untorn -n '__untorn_in apply' -l json-patch -rF -d 'A list of operations'
complete -c untorn -n '__untorn_in set unset ensure apply update get read check edit config' -l format -xa 'json jsonc toml toml-1.0' -d 'What kind of document it is'
complete -c untorn -n '__untorn_in ensure' -l uuid -d 'The value is a new random UUID'
complete -c untorn -n '__untorn_in read' -l last-good -d 'If it is damaged, its newest whole version'
complete -c untorn -n '__untorn_in edit' -l force -d 'Save also what does not parse'
complete -c untorn -n '__untorn_in check' -s v -l verbose -d 'List the documents that are whole, too'
complete -c untorn -n '__untorn_in commit' -l remove -rF -d 'Remove this file in the same step'
complete -c untorn -n '__untorn_in set unset ensure apply write update commit restore undo config' -l keep -x -d 'Keep so many earlier versions'
complete -c untorn -n '__untorn_in append' -l records -xa 'text jsonl' -d 'What a line is'
complete -c untorn -n '__untorn_in lock' -s s -l shared -d 'Share it with other readers'
complete -c untorn -n '__untorn_in check' -l repair -d 'Remove and finish what dead writers left'
complete -c untorn -n '__untorn_in check' -l abandon -d 'With --repair: also give up what was kept'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update append commit restore undo config' -l level -xa 'durable ordered cache' -d 'What a save survives'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update append commit' -l mode -xa '600 640 644' -d 'Permission bits'
complete -c untorn -n '__untorn_in set ensure apply edit write update append lock commit' -l parents -d 'Create missing directories'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update' -l keep-inode -d 'Overwrite in place, through a journal'
complete -c untorn -n '__untorn_in set unset ensure apply write update append get read hash lock who check commit log show diff restore undo' -l symlink -xa 'follow replace refuse' -d 'What to do with a link'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update append lock check commit restore undo config' -l wait -x -d 'Seconds to wait for the lock'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update append lock who' -l lock-file -rF -d 'Use this lock'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update append get read hash lock who check commit log show diff restore undo config' -l state-dir -xa '(__fish_complete_directories)' -d 'For locks, instead of .untorn/'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update append lock probe commit restore undo config' -l strict -d 'Refuse where a promise cannot be kept'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update append commit restore undo config' -l dry-run -d 'Show what would change'
complete -c untorn -n '__untorn_in set unset ensure apply edit write update append who probe check commit log restore undo config' -l report -d 'Print a line of JSON'
complete -c untorn -n '__untorn_in config' -l app -x -d 'The application'
complete -c untorn -n '__untorn_in config' -l schema -rF -d 'Which keys there are'
complete -c untorn -n '__untorn_in config' -l scope -xa 'global project local' -d 'The scope that is written'
complete -c untorn -n '__untorn_in config' -l file -x -d 'The file of a scope'
complete -c untorn -n '__untorn_in config' -l override -x -d 'Above all scopes'
complete -c untorn -n '__untorn_in config' -l show-origin -d 'With scope, file and line'
