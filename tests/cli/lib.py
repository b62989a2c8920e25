"""For the Python suites beside it: a case is a function, its name with blanks is the sentence.

    @case
    def a_new_key_goes_behind_the_last(): ...

Each runs in a fresh directory and fails by an exception.
"""

import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

CASES = []


def case(function):
    CASES.append(function)
    return function


class Done:
    """What a run printed, and its status."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\n{self.out!r}\n{self.err}"


def untorn(*words, stdin=b"", env=None):
    """Bytes that are not UTF-8 become lone surrogates, as in paths."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    done = subprocess.run(["untorn", *words], input=stdin, capture_output=True, check=False,
                          env={**os.environ, **(env or {})})
    return Done(done.returncode, done.stdout.decode("utf-8", "surrogateescape"),
                done.stderr.decode("utf-8", "surrogateescape"))


def expect(status, *words, **more):
    done = untorn(*words, **more)
    assert done.status == status, f"not {status}: {words}: {done}"
    return done


def changes(*words, **more):
    """A verb that changes something says nothing."""
    done = expect(0, *words, **more)
    assert done.out == "" and done.err == "", done
    return done


def prints(wanted, *words, **more):
    done = expect(0, *words, **more)
    assert done.out == wanted and done.err == "", f"not {wanted!r}: {done}"


def file_is(name, wanted):
    found = Path(name).read_bytes()
    wanted = wanted.encode() if isinstance(wanted, str) else wanted
    assert found == wanted, f"{name} is {found!r}, not {wanted!r}"


def make(name, content):
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)


def refuses(status, name, *words, **more):
    """The verb fails, says so, prints nothing, and leaves the file alone: bytes, inode and time."""
    before = Path(name).read_bytes(), os.stat(name)
    done = expect(status, *words, **more)
    after = Path(name).read_bytes(), os.stat(name)
    assert before[0] == after[0], f"{name} has changed: {after[0]!r}"
    assert (before[1].st_ino, before[1].st_mtime_ns) == (after[1].st_ino, after[1].st_mtime_ns)
    assert done.out == "" and done.err.startswith("untorn: "), done
    return done


def main():
    failed = 0
    for function in CASES:
        sentence = function.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            try:
                function()
                print(f"ok  {sentence}")
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print(f"FAIL {sentence}")
                print("    " + traceback.format_exc().replace("\n", "\n    "))
            os.chdir("/")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
