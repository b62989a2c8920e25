#!/usr/bin/python3
# run: budget 30
"""The kept inputs of every fuzzing target, once more: as built, and sanitized where that is built
too. Each is an input that a fuzzer found worth keeping."""

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from lib import ROOT, Count, compile_with_replay, replay  # noqa: E402

BUILD = Path(os.environ["BUILD"])
SANITIZED = Path(f"{BUILD}-asan")
TARGETS = sorted(file.stem for file in (ROOT / "fuzz").glob("*.c")
                 if "int LLVMFuzzerTestOneInput(" in file.read_text())
BROKEN = """
#include <stdint.h>
#include <stdlib.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 && data[1] == '!')
        abort();
    return 0;
}
"""


def build(folder, *words):
    made = subprocess.run([ROOT / "tools/build", folder, *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return None if made.returncode == 0 else made.stdout


def check_targets(count, folder, note):
    problem = build(folder, "fuzz-programs")
    count.case(f"the targets build{note}", problem)
    for target in [] if problem else TARGETS:
        count.case(f"no kept input breaks {target}{note}",
                   replay(folder / "fuzz" / target, ROOT / "fuzz/corpus" / target))


def check_control(count):
    """A target that breaks is told from one that does not, and the file is named."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "in").mkdir()
        (folder / "broken.c").write_text(BROKEN)
        compile_with_replay(folder / "broken", folder / "broken.c")
        (folder / "in/good").write_bytes(b"a")
        (folder / "in/last").write_bytes(b"b?")
        problem = replay(folder / "broken", folder / "in")
        count.case("a target that holds passes", problem)
        (folder / "in/bad").write_bytes(b"a!")
        problem = replay(folder / "broken", folder / "in")
        named = problem is not None and "in/bad" in problem
        count.case("a target that breaks fails, and the input is named",
                   None if named else f"{problem}")
        (folder / "empty").mkdir()
        problem = replay(folder / "broken", folder / "empty")
        count.case("a folder without inputs is no success", None if problem else "it passed")


def is_named_well(file):
    return file.parent.name in TARGETS and \
        hashlib.sha1(file.read_bytes()).hexdigest().startswith(file.name)


def check_names(count):
    """So that none is there twice, or changed on its way here, as git does with ends of lines."""
    wrong = [str(file) for file in (ROOT / "fuzz/corpus").rglob("*")
             if file.is_file() and not is_named_well(file)]
    count.case("every kept input belongs to a target and has its content's name", ", ".join(wrong))


def main():
    count = Count()
    check_targets(count, BUILD, "")
    if (SANITIZED / "build.ninja").exists():
        check_targets(count, SANITIZED, " (sanitized)")
    else:
        count.skip("no kept input breaks a target (sanitized)", f"{SANITIZED} is not built")
    check_control(count)
    check_names(count)
    count.finish()


if __name__ == "__main__":
    main()
