#!/bin/bash
set -eu
. "$TESTS/cli/lib.sh"

command -v patch >/dev/null || { echo 'patch is not installed' && exit 77; }
cat >diffs.py <<'P'
import os, random, subprocess
random.seed(20261115)
for turn in range(150):
    words = random.choice([2, 5, 1000])
    old = [f"{random.randrange(words)}\n" for _ in range(random.choice([1, 2, 5, 20, 100, 1500]))]
    new = list(old)
    for _ in range(random.choice([1, 2, 5, 40, 1300])):
        at = random.randrange(len(new) + 1)
        if random.random() < 0.5:
            new.insert(at, f"{random.randrange(words)}\n")
        elif len(new) > 1:
            del new[min(at, len(new) - 1)]
    before, after = "".join(old), "".join(new)
    before = before[:-1] if random.random() < 0.3 else before
    after = after[:-1] if random.random() < 0.3 else after
    open("file", "w").write(before)
    diff = subprocess.run(["untorn", "write", "--dry-run", "file"], input=after.encode(),
                          stdout=subprocess.PIPE, check=True).stdout
    assert (diff == b"") == (before == after), turn
    if diff:
        subprocess.run(["patch", "-s", "-o", "result", "file"], input=diff, check=True)
        assert open("result").read() == after, turn
P
"$PYTHON" diffs.py
