# Appends that were killed half way, and what the next one makes of their tail.
. "$TESTS/withstand/lib.sh"
own_mounts "$@"

# torn FILE RECORD: an append of the record is killed when half of it is written.
torn() {
    need_faultat
    echo "$2" >record
    expect 137 "$FAULTAT" --only write,pwrite64 --match "$PWD/$1" --tear 1 -- \
        "$UNTORN" append "$1" <record
    rm record
}

torn_record() {
    mkdir d
    echo '{"n": 1}' >d/log.jsonl
    torn d/log.jsonl '{"n": 2, "text": "this one will not be complete"}'
    same "$(wc -l <d/log.jsonl)" 1
    tail -n 1 d/log.jsonl >tail
    [ -s tail ]
    echo '{"n": 3}' >record
    expect 0 "$UNTORN" append --report d/log.jsonl <record
    grep -q '"tail-kept"' "$AREA/out"
    holds d/log.jsonl '{"n": 1}
{"n": 3}
'
    # What was cut is kept, byte for byte, until somebody gives it up.
    expect 4 "$UNTORN" check d
    grep -q 'torn record' "$AREA/out"
    local kept
    kept=$(find d/.untorn/kept -type f)
    cmp "$kept" tail
    shows d log.jsonl
    "$UNTORN" check --repair --abandon d
    tidy d
    same "$(find d/.untorn/kept -type f)" ''
}

torn_text() {
    echo one >log
    torn log 'a line of text that is torn in the middle'
    echo three >record
    expect 0 "$UNTORN" append --report log <record
    grep -q '"tail-ended"' "$AREA/out"
    same "$(wc -l <log)" 3
    same "$(head -n 1 log)" one
    same "$(tail -n 1 log)" three
    rm record
    tidy .
}

whole_without_newline() {
    printf '{"n": 1}\n{"n": 2}' >log.jsonl
    echo '{"n": 3}' | "$UNTORN" append log.jsonl
    holds log.jsonl '{"n": 1}
{"n": 2}
{"n": 3}
'
    tidy .
}

refused_record() {
    echo '{"n": 1}' >log.jsonl
    local bad
    for bad in '{"n":' 'not json' '{"n": 1} {"n": 2}' '{"a": "
"}'; do
        expect 4 "$UNTORN" append log.jsonl <<<"$bad"
        holds log.jsonl '{"n": 1}
'
    done
}

twice_torn() {
    mkdir d
    : >d/log.jsonl
    local i
    for i in 1 2 3; do
        torn d/log.jsonl "{\"n\": $i, \"text\": \"this one will not be complete\"}"
    done
    echo '{"n": 4}' | "$UNTORN" append d/log.jsonl
    holds d/log.jsonl '{"n": 4}
'
    # Different tails are kept each for itself.
    same "$(find d/.untorn/kept -type f | wc -l)" 3
}

many_at_once() {
    local i
    : >log.jsonl
    for i in 1 2 3 4 5 6 7 8; do
        (for j in $(seq 15); do
            echo "{\"writer\": $i, \"n\": $j, \"pad\": \"$(printf '%200s')\"}" |
                "$UNTORN" append --wait 60 log.jsonl
        done) &
    done
    wait
    same "$(wc -l <log.jsonl)" 120
    same "$(sort -u log.jsonl | wc -l)" 120
    "${PYTHON:-/usr/bin/python3}" -c \
        'import json, sys; [json.loads(line) for line in sys.stdin]' <log.jsonl
}

check 'a torn record is kept aside, cut, and told of' torn_record
check 'a torn line of text gains its newline and nothing is fused' torn_text
check 'a whole record without its newline is kept' whole_without_newline
check 'what is not one record a line is refused' refused_record
check 'several torn records are each kept' twice_torn
check 'records of many writers are neither torn nor fused' many_at_once
finish
