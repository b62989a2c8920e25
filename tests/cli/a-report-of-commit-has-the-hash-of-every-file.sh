#!/bin/bash
source "$TESTS/cli/lib.sh"
odd=$'odd "\\ \n\xff'
echo 1 >one && : >empty && echo gone >gone && echo old >"$odd"
expect 0 untorn commit --report a=one "$odd=one" 'e=empty' --remove gone
mv out report
UNTORN=$(type -P untorn) "$PYTHON" - <<'END' || fail "$(cat report)"
import json
import os
import subprocess
lines = open("report", encoding="utf-8").read().splitlines()
assert len(lines) == 1, lines
report = json.loads(lines[0])
assert report["path"] == "a" and report["status"] == "OK" and "hash" not in report, report
names = [b"a", b'odd "\\ \n\xff', b"e", b"gone"]
assert [os.fsencode(target["path"]) for target in report["targets"]] == names, report
assert report["targets"].pop() == {"path": "gone", "hash": None}, report
for target in report["targets"]:
    done = subprocess.run([os.environ["UNTORN"], "hash", target["path"]], check=True,
                          capture_output=True, text=True)
    assert target["hash"] == done.stdout.strip(), (target, done)
END

# As with the hash of a single file: a failure has none.
expect 5 untorn commit --report --exclusive a=one f=one
! grep -q targets out || fail "$(cat out)"
[ ! -e f ] || fail 'it was made'
# What is left alone has its content too.
expect 0 untorn commit --report --if-changed a=one
grep -q '"flags":\["unchanged"\],"targets":\[{"path":"a","hash":"[0-9a-f]\{32\}"}\]}$' out ||
    fail "$(cat out)"
