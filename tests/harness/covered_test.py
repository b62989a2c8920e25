#!/usr/bin/python3
"""What the tests missed is told and fails, and is really measured where the tools are there."""

import contextlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
TOOL = Path(__file__).resolve().parents[2] / "tools/covered"
SPEC = spec_from_loader("covered", SourceFileLoader("covered", str(TOOL)))
covered = module_from_spec(SPEC)
SPEC.loader.exec_module(covered)

PROGRAM = """#include <stdlib.h>

static int larger(int a, int b)
{
    if (a > b &&%s
        a > 0)
        return a;
    return b;
}

int main(int count, char **words)
{
    for (int i = 2; i < count; i++)
        (void)larger(atoi(words[1]), atoi(words[i]));
    return 0;
}
"""
CONDITION = "    if (a > b)%s\n"


def judge(text, branches, lines=(100, 100)):
    """Of one file `core.c`, with the counts that were measured in it. Returns status and lines."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        (root / "core.c").write_text(text)
        summary = {"lines": {"count": lines[1], "covered": lines[0]}}
        data = {"files": [{"filename": str(root / "core.c"), "summary": summary,
                           "branches": branches}], "totals": summary}
        return judged(data, root)


def judged(data, root):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = covered.judge(data, data, root, root, ["core.c"])
    missed = (root / "missed-branches.txt").read_text().splitlines()
    return status, missed, printed.getvalue().splitlines()


def a_branch_that_is_never_taken_is_told_and_fails():
    for true, false, side in ((5, 0, "false"), (0, 5, "true")):
        status, missed, lines = judge(CONDITION % "", [[1, 9, 1, 14, true, false, 0, 0, 4]])
        assert status == 1, lines
        assert missed == [f"core.c:1:9: never {side}: if (a > b)"], missed
        assert lines[-2:] == ["branches: 50.0%", "lines: 100.0%"], lines


def what_is_taken_in_one_program_and_in_another_is_taken():
    status, missed, _ = judge(CONDITION % "", [[1, 9, 1, 14, 1, 0, 0, 0, 4],
                                               [1, 9, 1, 14, 0, 1, 0, 0, 4]])
    assert (status, missed) == (0, [])


def a_reason_leaves_a_branch_out_and_nothing_else_does():
    branch = [[1, 9, 1, 14, 1, 0, 0, 0, 4]]
    status, missed, lines = judge(CONDITION % " /* UNREACHED: a is larger */", branch)
    assert (status, missed) == (0, []) and lines[-2] == "branches: 100.0%", lines
    for mark in (" /* UNREACHED */", " /* UNREACHED: */", " /* UNREACHED: no */",
                 " /* unreached: a is larger */", "\n/* UNREACHED: a is larger */"):
        assert judge(CONDITION % mark, branch)[0] == 1, mark


def a_reason_that_is_not_needed_is_named():
    status, _, lines = judge(CONDITION % " /* UNREACHED: a is larger */",
                             [[1, 9, 1, 14, 1, 1, 0, 0, 4]])
    assert status == 0 and "core.c:1: marked UNREACHED, and was reached" in lines, lines


def too_few_lines_and_nothing_at_all_fail():
    branch = [[1, 9, 1, 14, 1, 1, 0, 0, 4]]
    assert judge(CONDITION % "", branch, (970, 1000))[0] == 0
    status, _, lines = judge(CONDITION % "", branch, (9699, 10000))
    assert status == 1 and lines[-1] == "lines: 96.99%", lines
    assert judge(CONDITION % "", [])[0] == 1
    assert judge(CONDITION % "", branch, (0, 0))[0] == 1


def a_file_that_was_not_measured_fails():
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        (root / "core.c").write_text("")
        lines = {"lines": {"count": 1, "covered": 1}}
        status, missed, _ = judged({"files": [], "totals": lines}, root)
        assert (status, missed) == (1, ["core.c: was not measured"])


def measure(mark, *words):
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve()
        (root / "core.c").write_text(PROGRAM % mark)

        def run(*command, **more):
            return subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, **more).stdout

        run("clang", "-fprofile-instr-generate", "-fcoverage-mapping", root / "core.c", "-o", "it")
        run("./it", *words, env={"LLVM_PROFILE_FILE": "it.profraw"})
        run("llvm-profdata", "merge", "-o", "it.data", "it.profraw")
        data = json.loads(run("llvm-cov", "export", "-skip-functions", "-skip-expansions", "it",
                              "-instr-profile=it.data"))
        return judged(data["data"][0], root)


def a_program_is_measured():
    status, missed, lines = measure("", "3", "2", "4")
    assert (status, missed) == (1, ["core.c:6:9: never false: a > 0)"]), lines
    assert lines[-2:] == ["branches: 83.33%", "lines: 100.0%"], lines
    assert measure("", "-1", "1")[0] == 1
    status, missed, lines = measure(" /* UNREACHED: not this one */", "3", "2", "4")
    assert status == 1 and "core.c:5: marked UNREACHED, and was reached" in lines, lines
    status, missed, lines = measure(" /* UNREACHED: never as small */", "3", "2")
    assert [line[:21] for line in missed] == ["core.c:6:9: never fal"], missed


TESTS = (a_branch_that_is_never_taken_is_told_and_fails,
         what_is_taken_in_one_program_and_in_another_is_taken,
         a_reason_leaves_a_branch_out_and_nothing_else_does, a_reason_that_is_not_needed_is_named,
         too_few_lines_and_nothing_at_all_fail, a_file_that_was_not_measured_fails)


def main():
    for test in TESTS:
        test()
        print("ok ", test.__name__)
    if all(shutil.which(tool) for tool in ("clang", "llvm-profdata", "llvm-cov")):
        a_program_is_measured()
        print(f"ok  a_program_is_measured\n{len(TESTS) + 1} passed, 0 failed")
    else:
        print(f"skip a_program_is_measured: no llvm-cov\n{len(TESTS)} passed, 0 failed, 1 skipped")


if __name__ == "__main__":
    main()
