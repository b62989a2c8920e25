#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

cat >terminal.py <<'P'
import os, pty, sys
def run(**environment):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(environment)
        os.execvp("untorn", ["untorn", "write", "--dry-run", "file", "new"])
    text = b""
    while True:
        try:
            piece = os.read(terminal, 1000)
        except OSError:
            piece = b""
        if not piece:
            break
        text += piece
    assert os.waitpid(pid, 0)[1] == 0
    assert b"-one" in text and b"+two" in text, text
    return b"\x1b" in text
os.environ.pop("NO_COLOR", None)
assert run(TERM="xterm")
assert run(TERM="xterm", NO_COLOR="")
assert not run(TERM="xterm", NO_COLOR="1")
assert not run(TERM="dumb")
P
echo one >file
echo two >new
"$PYTHON" terminal.py
TERM=xterm untorn write --dry-run file new >out
if grep $'\033' out; then
    fail 'colour in a pipe'
fi
