#!/usr/bin/python3
# run: budget 90, timeout 900
"""No call of the extension keeps memory or a reference, however it ends.

Three judges, each shown a leak on purpose: the size of the process over many calls, in bytes and in
blocks of Python's; the reference counts of a debug build of Python, for which the extension is
built here; and Valgrind.
The calls are those of calls.py. UNTORN_LONG=1: 100,000 calls instead of a tenth.

    leaks_test.py measure WHAT     is what the tests start in another interpreter
"""

import ctypes
import gc
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

from support import PACKAGE, Case, main, untorn
from untorn import _untorn

ROOT = Path(os.environ["TESTS"]).parent
DEBUG = "/usr/bin/python3-dbg"
CALLS = 100000 if os.environ.get("UNTORN_LONG") else 10000
GROWTH = 1 << 20  # a leak of one object of the smallest in each call takes 5 MB, or 500 kB
ON_PURPOSE = "a leak on purpose"


def leak():
    """A result of the extension that nobody will ever free."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_untorn.hash(os.urandom(8))))


def everything(calls):
    """{name: (call, how often it is made by who counts exactly)}"""
    given = calls.direct()
    counts = hasattr(sys, "gettotalrefcount")
    groups = ((calls.package(), 30), (calls.spoiled(given), 3),
              (calls.without_memory(given, python_too=not counts), 3), (calls.interrupted(), 2),
              ({ON_PURPOSE: leak}, 30))
    return {name: (call, count) for group, count in groups for name, call in group.items()}


# ---- what is started in another interpreter ----

def rss():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def blocks():
    gc.collect()
    return sys.getallocatedblocks()


def references():
    gc.collect()
    return sys.gettotalrefcount()


def grown(call, count, measure):
    """By how much, in the best of three runs: what is kept for later, or was not needed before,
    grows once; a leak grows always."""
    least = None
    for _ in range(3):
        before = measure()
        for _ in range(count):
            call()
        more = measure() - before
        least = more if least is None else min(least, more)
        if more < count:
            break
    return least


def measure_references(calls, attempt):
    for name, (call, count) in everything(calls).items():
        for _ in range(3):
            attempt(call)
        more = grown(lambda: attempt(call), count, references)
        if more >= count:
            print(f"leak: {name}: {more} references in {count} calls")


def print_growth(what, calls, rounds):
    """Of rounds in which each call is made once: one block too many in each of them is a leak."""
    def make_all():
        for call in calls:
            call()

    size = rss()
    count = grown(make_all, rounds, blocks)
    size = rss() - size
    print(f"{what}: {rounds * len(calls)} calls: {size >> 10} KiB and {count} blocks more")
    if size >= GROWTH:
        print(f"leak: {what}: bytes")
    if count >= rounds:
        print(f"leak: {what}: blocks")


def measure_size(calls, attempt):
    package = [lambda call=call: attempt(call) for call in calls.package().values()]
    for _ in range(20):
        for call in package:
            call()
    print_growth("the package", package, CALLS // len(package) + 1)
    print_growth(ON_PURPOSE, [leak, leak], CALLS)
    print_growth(ON_PURPOSE, [*package, leak, leak], 20)


def make_each(calls, attempt):
    """For Valgrind, which is told of the leaks at the end."""
    for name, (call, _) in everything(calls).items():
        if "interrupted" not in name:
            attempt(call)


def measure(what):
    from calls import Calls, attempt
    calls = Calls()
    try:
        {"references": measure_references, "size": measure_size, "each": make_each}[what](
            calls, attempt)
    finally:
        calls.close()
    print("measured")


# ---- the judges ----

def run(command, what, **environment):
    done = subprocess.run([*command, "-B", __file__, "measure", what], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
                          env={**os.environ, **environment})
    if done.returncode != 0 or not done.stdout.rstrip().endswith("measured"):
        raise AssertionError(f"status {done.returncode}:\n{done.stdout}")
    return done.stdout


def leaks_in(output):
    return [line for line in output.splitlines() if line.startswith("leak: ")]


def build_for(python, folder):
    """The package with an extension that counts as this Python does."""
    package = folder / "python/untorn"
    shutil.copytree(PACKAGE / "untorn", package, ignore=shutil.ignore_patterns("*.so"))
    headers = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_paths()['include'])"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    # Not as -isystem: a compiler would follow the links, out of the folder that says "debug".
    sources = sorted((ROOT / "bindings/python/src").glob("*.c"))
    subprocess.run(["cc", "-std=c11", "-g", "-O1", "-fPIC", "-shared", "-D_POSIX_C_SOURCE=200809L",
                    "-I", headers, "-I", ROOT / "include", *sources,
                    Path(os.environ["BUILD"]) / "libuntorn.a", "-pthread",
                    "-o", package / "_untorn.abi3.so"], check=True)


def lost_inside(report):
    """How many blocks that are definitely lost were allocated inside the extension."""
    found = 0
    for error in xml.etree.ElementTree.parse(report).iter("error"):
        if error.findtext("kind") == "Leak_DefinitelyLost":
            objects = [frame.findtext("obj") or "" for frame in error.iter("frame")]
            if any(name.endswith("/_untorn.abi3.so") for name in objects):
                found += int(error.findtext("xwhat/leakedblocks"))
    return found


class Leaks(Case):
    def test_every_function_is_called_and_fails_too(self):
        from calls import Calls, function_names
        calls = Calls()
        self.addCleanup(calls.close)
        self.assertEqual(sorted(calls.direct()), sorted(function_names()))
        # These take what is always there; they fail only if their arguments are wrong.
        simple = {"config_ignored", "config_check", "format_of_path", "hash", "judge"}
        self.assertEqual({name for name, ends in calls.ends.items() if False not in ends}, simple)
        self.assertEqual({name for name, ends in calls.ends.items() if True not in ends}, set())

    def test_the_process_does_not_grow(self):
        output = run([sys.executable], "size")
        print(output.splitlines()[0])
        self.assertEqual(leaks_in(output), [f"leak: {ON_PURPOSE}: bytes",
                                            f"leak: {ON_PURPOSE}: blocks",
                                            f"leak: {ON_PURPOSE}: blocks"])

    def test_no_reference_is_kept(self):
        if not os.path.exists(DEBUG):
            self.skipTest("needs python3-dbg")
        # The ordinary module works there too, but does not count its references.
        done = subprocess.run([DEBUG, "-c", "import untorn; untorn.write_json('a', 1); "
                                            "print(untorn.read_json('a'))"],
                              env={**os.environ, "PYTHONPATH": str(PACKAGE)},
                              stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual(done.stdout, "1\n")
        folder = Path("debug").absolute()
        build_for(DEBUG, folder)
        Path("work").mkdir()
        os.chdir("work")
        found = leaks_in(run([DEBUG], "references", BUILD=str(folder)))
        self.assertEqual([line for line in found if ON_PURPOSE not in line], [])
        self.assertEqual(len(found), 1)

    def test_valgrind_finds_nothing_lost(self):
        if not shutil.which("valgrind"):
            self.skipTest("needs valgrind")
        report = Path("report.xml").absolute()
        Path("work").mkdir()
        os.chdir("work")
        run(["valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=40",
             "--xml=yes", f"--xml-file={report}", "-q", sys.executable], "each",
            PYTHONMALLOC="malloc")
        self.assertEqual(lost_inside(report), 1, "the leak on purpose, and nothing else")


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2])
    else:
        main()
