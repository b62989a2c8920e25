"""What the suites of this folder share: they count, and run targets without a fuzzer."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(os.environ["TESTS"]).parent


class Count:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0

    def case(self, sentence, problem):
        print(f"FAIL {sentence}: {problem}" if problem else f"ok   {sentence}")
        self.failed += bool(problem)
        self.passed += not problem

    def skip(self, sentence, reason):
        print(f"skip {sentence}: {reason}")
        self.skipped += 1

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        sys.exit(1 if self.failed or not self.passed else 0)


def compile_with_replay(program, *words):
    subprocess.run(["cc", "-D_GNU_SOURCE=", f"-I{ROOT}/include", f"-I{ROOT}/src", f"-I{ROOT}/fuzz",
                    ROOT / "fuzz/replay.c", *words, "-o", program], check=True)


def replay(program, *paths, **variables):
    """None, or what happened and with which file."""
    done = subprocess.run([program, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False,
                          env={**os.environ, **variables})
    last = (done.stdout.splitlines() or ["nothing"])[-1]
    if done.returncode == 0:
        return None if last.endswith(" files") and last != "0 files" else f"ran {last}"
    return f"status {done.returncode} with {last}\n{done.stderr}"
