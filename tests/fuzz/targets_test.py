#!/usr/bin/python3
"""make fuzz runs the targets that were asked for, and all if none was."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(os.environ["TESTS"]).parent


def tool():
    loader = importlib.machinery.SourceFileLoader("fuzz_tool", str(ROOT / "tools/fuzz"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz_tool", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def ran(fuzz, target):
    with tempfile.TemporaryDirectory() as build:
        run = fuzz.Run(SimpleNamespace(seconds=1, jobs=1, build=build, target=target))
        return [outcome.name for outcome in
                run.for_each_target(lambda name: fuzz.Outcome(name, 0, []))]


def make_hands_on(words):
    done = subprocess.run(["make", "-n", "-C", ROOT, "fuzz", *words], stdout=subprocess.PIPE,
                          text=True, check=True)
    return [word for before, word in zip(done.stdout.split(), done.stdout.split()[1:])
            if before == "--target"]


def main():
    fuzz = tool()
    everything = fuzz.all_targets()
    refused = subprocess.run([ROOT / "tools/fuzz", "--target", "nothing"], stderr=subprocess.PIPE,
                             text=True, check=False)
    cases = {
        "without a name all targets run": "edit" in everything and ran(fuzz, None) == everything,
        "those that are named run, and no others": ran(fuzz, ["edit", "toml"]) == ["edit", "toml"],
        "a name that is none is refused": refused.returncode == 2 and "edit" in refused.stderr,
        "make hands the names on": make_hands_on(["FUZZ_TARGETS=edit toml"]) == ["edit", "toml"],
        "make names none by itself": make_hands_on([]) == [],
    }
    for sentence, good in cases.items():
        print("ok  " if good else "FAIL", sentence)
    failed = sum(not good for good in cases.values())
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
