"""What the suites of the Python package share: the package, a folder for each test, a count."""

import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

PACKAGE = Path(os.environ["BUILD"]) / "python"
sys.dont_write_bytecode = True
if not (PACKAGE / "untorn").exists():
    print("needs the Python package, which this build does not make (Python.h)")
    sys.exit(77)
sys.path.insert(0, str(PACKAGE))

import untorn  # noqa: E402

WINDOWS = os.name == "nt"
forks = unittest.skipIf(WINDOWS, "Windows has no fork")
interrupts = unittest.skipIf(WINDOWS, "no SIGINT can be sent to a process of Windows")
any_bytes = unittest.skipIf(WINDOWS, "names of Windows are UTF-16, not bytes")


class Case(unittest.TestCase):
    """Each test works in an empty folder of its own."""

    def setUp(self):
        folder = Path(self.id().replace(".", "-")).absolute()
        folder.mkdir()
        home = os.getcwd()
        self.addCleanup(os.chdir, home)
        os.chdir(folder)

    def put(self, path, text):
        Path(path).write_bytes(text.encode() if isinstance(text, str) else text)

    def check(self, path, text):
        self.assertEqual(Path(path).read_bytes(),
                         text.encode() if isinstance(text, str) else text)

    def check_mode(self, path, mode):
        if not WINDOWS:  # which tells of a file only whether it may be written
            self.assertEqual(os.stat(path).st_mode & 0o777, mode)


def start(code, *arguments, **how):
    """Another process that runs Python code with untorn imported; it is told apart by its pipes."""
    code = "import os, sys, time, untorn\n" + textwrap.dedent(code)
    return subprocess.Popen([sys.executable, "-B", "-c", code, *map(str, arguments)], text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "PYTHONPATH": str(PACKAGE)}, **how)


def holder(path):
    """A process that has the lock of a file until its input ends."""
    process = start("""
        with untorn.Lock(sys.argv[1]):
            print("held", flush=True)
            sys.stdin.read()
    """, path)
    assert process.stdout.readline() == "held\n"
    return process


def end(process):
    """What else it prints. Not by communicate(), which forgets what readline() read ahead."""
    with process:
        process.stdin.close()
        output, errors = process.stdout.read(), process.stderr.read()
    if process.returncode != 0:
        raise AssertionError(f"status {process.returncode}: {errors}")
    return output


class _Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skip {test.id()}: {reason}")


def main():
    """Runs the tests of the suite, and counts as the runner does."""
    done = unittest.main(exit=False, verbosity=0, testRunner=unittest.TextTestRunner(
        stream=sys.stdout, verbosity=0, resultclass=_Result)).result
    failed = len(done.failures) + len(done.errors) + len(done.unexpectedSuccesses)
    skipped = len(done.skipped)
    print(f"{done.testsRun - failed - skipped} passed, {failed} failed"
          + (f", {skipped} skipped" if skipped else ""))
    sys.exit(failed != 0)
