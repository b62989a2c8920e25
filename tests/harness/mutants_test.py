#!/usr/bin/python3
"""A call that is left out is noticed by a suite, or told; one that is marked is not counted."""

import contextlib
import io
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
TOOL = Path(__file__).resolve().parents[2] / "tools/mutants"
SPEC = spec_from_loader("mutants", SourceFileLoader("mutants", str(TOOL)))
mutants = module_from_spec(SPEC)
SPEC.loader.exec_module(mutants)

HEADER = """int os_flush(int file);
int os_remove(int file);
int save(void);
void begin_flush(int file);
"""
SOURCE = """#include "save.h"

int save(void)
{
    int rc = os_flush(7 +
                      (1));
    if (rc == 0)
        rc = os_flush(2);%s
    (void)os_remove(3);
    begin_flush(4);
    return rc;
}
"""
OWN = """
static int flush_both(void)
{
    return os_flush(8);
}

int save_it(void)
{
    /* flush_both() comes first */
    return flush_both();
}
"""
TEST = """/* run: budget 5 */
#include "../../src/file/save.h"
static int flushed;
int os_flush(int file) { flushed += file == 8; return 0; }
int os_remove(int file) { return file; }
void begin_flush(int file) { (void)file; }
int main(void) { return save() != 0 || flushed != 1; }
"""
BUILD = """#!/bin/sh
cd "$(dirname "$0")/.." && mkdir -p "$1/tests" && cc -o "$1/$2" src/file/save.c tests/crash/*.c
"""
FAILED = []


def check(name, fact, seen=""):
    print(f"{'ok  ' if fact else 'FAIL'} {name}{'' if fact else f': {seen}'}")
    if not fact:
        FAILED.append(name)


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def try_all(mark, *words, test=TEST, more=""):
    """Status and lines of the tool for a small project, whose test knows of one flush alone."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project")
        put(root / "src/file/save.h", HEADER)
        put(root / "src/file/save.c", SOURCE % mark + more)
        put(root / "tests/crash/save_test.c", test)
        put(root / "tools/build", BUILD)
        for command in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(command, cwd=root, check=True)
        mutants.ROOT = root
        sys.argv = ["mutants", "--build", f"{folder}/build", "--jobs", "2", *words]
        with contextlib.redirect_stdout(io.StringIO()) as output:
            status = mutants.main()
        return status, output.getvalue().splitlines()


status, lines = try_all("")
check("one that is noticed is told with the suite",
      lines[0].startswith("src/file/save.c:5 ") and "noticed by crash-save_test" in lines[0], lines)
check("a call over two lines is left out whole", lines[0].endswith("os_flush(7 + (1))"), lines)
check("one that is not noticed is told, and fails", status == 1 and "NOT NOTICED" in lines[1],
      lines)
check("whose result nobody wants is not tried, and all are counted",
      lines[-1] == "1 noticed, 1 not" and len(lines) == 3, lines)

status, lines = try_all(" /* UNNOTICED: for a reason */")
check("one with a reason is told, and is no failure",
      status == 0 and "NOT NOTICED, as is said there" in lines[1], lines)
status, lines = try_all(" /* UNNOTICED: for a reason */", test=TEST.replace("== 8", "> 0")
                        .replace("!= 1", "!= 2"))
check("one that is marked and noticed is told", "and marked as if not" in lines[1], lines)
try:
    try_all("", test=TEST.replace("!= 1", "!= 3"))
    refused = "nothing"
except RuntimeError as error:
    refused = str(error)
check("a suite that fails anyway is no witness", refused.startswith("crash-save_test fails"),
      refused)
status, lines = try_all("", "save.c:5")
check("a text chooses the places", status == 0 and lines[-1] == "1 noticed, 0 not", lines)
status, lines = try_all("", more=OWN)
check("a call of a function of ours that flushes is tried, and nothing else of that name",
      len(lines) == 5 and lines[3].endswith(": flush_both()"), lines)

print(f"{9 - len(FAILED)} passed, {len(FAILED)} failed")
sys.exit(1 if FAILED else 0)
