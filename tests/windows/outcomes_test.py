#!/usr/bin/python3
"""What a suite under Wine printed is counted right, and nothing that goes wrong in it is lost."""

import importlib.util
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import cli  # noqa: E402

# There are two of this name.
SPEC = importlib.util.spec_from_file_location("windows_run", HERE / "run.py")
run = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run)

REASONS = {("s", "known"): "why it cannot"}


def kinds(output):
    return {test: kind for test, (kind, _) in run.outcomes("s", output, REASONS).items()}


good = "ok  a\nskip b: no links\n1 passed, 0 failed, 1 skipped\n"
assert kinds(good) == {"a": run.PASSED, "b": run.SKIPPED}
assert kinds("FAIL a f.c:1 not so: x\n0 passed, 1 failed\n") == {"a": run.FAILED}
assert kinds("FAIL known f.c:1 not so: x\n0 passed, 1 failed\n") == {"known": run.SKIPPED}
assert kinds("ok  a\n") == {"a": run.PASSED, "the_suite": run.FAILED}
assert kinds("") == {"the_suite": run.FAILED}
assert kinds("ok  a\n0 passed, 1 failed\n") == {"a": run.PASSED, "the_suite": run.FAILED}

place = Path("/nowhere")
names = [suite.name for suite in cli.choose(place, "", False)]
assert "cli/documents" not in names and "windows/command" in names
assert [suite.name for suite in cli.choose(place, "cli/documents", False)] == ["cli/documents"]
assert all(name.startswith("windows/") for name in
           (suite.name for suite in cli.choose(place, "", True)))
