#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

cat >terminal.py <<'P'
import os, pty
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("untorn", ["untorn", "write", "file"])
text = b""
while b"Ctrl-D" not in text:
    text += os.read(terminal, 1000)
assert b"untorn: reading standard input (Ctrl-D ends it)" in text, text
os.write(terminal, b"typed\n\x04")
assert os.waitpid(pid, 0)[1] == 0
assert open("file").read() == "typed\n"
P
"$PYTHON" terminal.py
