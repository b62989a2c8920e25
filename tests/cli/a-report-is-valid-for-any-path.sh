#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

cat >names.py <<'P'
import json, os, subprocess, sys
names = [b"plain", b"two\nlines", b"tab\tquote\"back\\slash", b"\xff\xfe", b"caf\xc3\xa9",
         b"cut \xc3", b"\xed\xa0\x80 surrogate", b"\xc0\xaf overlong", b"\xf4\x90\x80\x80 far",
         b"\xe0\x80\x80 long", b"\xf0\x9f\x98\x80", b"\xe2\x82", b"\xe2\x82\xac",
         b"esc \x1b[31m \x7f"]
for name in names:
    run = subprocess.run([b"untorn", b"write", b"--report", name], input=b"x", capture_output=True)
    assert run.returncode == 0, (name, run)
    line = run.stdout.decode("utf-8")
    assert line.count("\n") == 1, line
    back = os.fsencode(json.loads(line)["path"])
    assert back == name, (name, back)
    assert os.path.exists(name)
P
LC_ALL=C.UTF-8 "$PYTHON" names.py
