# Every example in the documents is run, and prints what the document says.
# run: budget 20
root=$TESTS/..
passed=0 failed=0 skipped=0

# Runs the examples of a document in a directory of their own, which looks like the project's.
run() { # DOCUMENT
    local place=$PWD/$((++places))
    mkdir "$place"
    ln -s "$root/include" "$root/examples" "$place"
    ln -s "$BUILD" "$place/build"
    (cd "$place" &&
        HOME=$place XDG_CONFIG_HOME= "$PYTHON" -B "$TESTS/docs/console.py" "$1") >said 2>&1
}

count() { # of the lines in said
    passed=$((passed + $(grep -c '^ok ' said)))
    failed=$((failed + $(grep -c '^FAIL ' said)))
    skipped=$((skipped + $(grep -c '^skip ' said)))
    grep -v 'passed, ' said
}

check() { # SENTENCE CONDITION...
    if "${@:2}"; then
        echo "ok  $1"
        passed=$((passed + 1))
    else
        echo "FAIL $1"
        cat said
        failed=$((failed + 1))
    fi
}

refuses() { # TEXT: a document whose example does not do what it says
    printf '%b' "$1" >planted.md
    ! run "$PWD/planted.md" && grep -q '^FAIL ' said
}

check 'a wrong output is noticed' refuses '```console\n$ echo a\nb\n```\n'
check 'an output that is not there is noticed' refuses '```console\n$ true\nb\n```\n'
check 'an output too many is noticed' refuses '```console\n$ echo a\n$ true\n```\n'
check 'dots stand for text in a line, not for lines' refuses '```console\n$ seq 3\n1...\n```\n'
check 'a command that fails is noticed' refuses '```sh\nfalse\ntrue\n```\n'
check 'a program that fails is noticed' refuses '```python\nraise SystemExit(1)\n```\n'
check 'a source that does not compile is noticed' \
    refuses '```c\nint main(\n```\n\n```sh\ncc a.c\n```\n'

if [ ! -e "$BUILD/libuntorn.a" ]; then
    echo 'needs libuntorn.a, which this build does not make'
    exit 77
fi
for document in "$root"/*.md "$root"/docs/*.md "$root"/docs/*/*.md; do
    run "$document" || grep -q '^FAIL ' said ||
        { echo "FAIL the examples of $document can be run"; cat said; failed=$((failed + 1)); }
    count
done
: >said
check 'there are examples' [ $((passed + skipped)) -gt 25 ]
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
