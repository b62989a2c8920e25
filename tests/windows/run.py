#!/usr/bin/python3
"""Builds untorn for Windows and runs its tests under Wine.

    tests/windows/run.py [--build DIR] [--jobs N] [--quick] [TEXT]

The C suites are those of tests/, compiled unchanged: tests/windows/posix stands in for what they
take from Unix, and a test that needs what Windows or Wine has not is skipped, by name. So is what
tests/windows/not_run.txt lists, with its reason. Then the suites of the command (cli.py), and what
is installed, for C and for Python (install.py). --quick runs a share of the first two, and less of
what is repeated. With TEXT only the suites whose name has it. Ends with `N passed, N failed`;
status 77 where mingw or Wine is missing.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import cli
import wine

ROOT = Path(__file__).resolve().parent.parent.parent
WHOLE = ["all", "test-programs"]
QUICK = ["file-write", "history-undo", "store-document", "text-json_plan",
         "text-toml_plan", "txn-transaction", "windows-names", "windows-withstand"]
SECONDS = 3600 if os.environ.get("UNTORN_LONG") else 1800  # of one suite
PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"


def not_run():
    """(suite, test) to the reason."""
    reasons = {}
    for line in (ROOT / "tests/windows/not_run.txt").read_text().splitlines():
        found = re.fullmatch(r"(\S+) (\S+): (.+)", line)
        if found:
            reasons[found[1], found[2]] = found[3]
    return reasons


def outcomes(suite, output, reasons):
    """(test, outcome, words) of each. A suite that did not come to its end has failed."""
    found = {}
    for line in output.splitlines():
        match = re.match(r"(ok  |FAIL|skip) ?(\w+):? ?(.*)", line)
        if not match:
            continue
        kind = {"ok  ": PASSED, "FAIL": FAILED, "skip": SKIPPED}[match[1]]
        reason = reasons.get((suite, match[2]))
        if kind == FAILED and reason:
            kind, words = SKIPPED, reason
        else:
            words = match[3]
        found[match[2]] = (kind, words)
    total = re.search(r"^\d+ passed, (\d+) failed", output, re.M)
    if not total:
        found["the_suite"] = (FAILED, "did not end: " + " ".join(output.split()[-30:]))
    elif int(total[1]) > len(re.findall(r"^FAIL ", output, re.M)):
        found["the_suite"] = (FAILED, "has failures that it does not name: " + total[0])
    return found


def run_suite(world, program, reasons, seconds):
    suite = program.stem.replace("_test", "")
    started = time.monotonic()
    output = world.run([program], seconds)
    found = outcomes(suite, output, reasons)
    counts = {kind: sum(1 for outcome, _ in found.values() if outcome == kind)
              for kind in (PASSED, FAILED, SKIPPED)}
    words = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    told = [line for line in output.splitlines() if line.startswith("    ")]
    print("\n".join([f"{suite:<46} {time.monotonic() - started:6.1f} s   {words}", *told]),
          flush=True)
    for test, (kind, text) in found.items():
        if kind == FAILED:
            print(f"    FAIL {test} {text}", flush=True)
    return suite, found, counts


def run_part(script, folder, text):
    """What starts Wine itself and counts itself."""
    done = subprocess.run([sys.executable, ROOT / "tests/windows" / script, folder, text],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    lines = done.stdout.splitlines()
    total = re.fullmatch(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", (lines or [""])[-1])
    print(*(line.replace("skipped: ", "skip ", 1) for line in lines[:-1]), sep="\n", flush=True)
    if not total:
        return {PASSED: 0, FAILED: 1, SKIPPED: 0}
    return dict(zip((PASSED, FAILED, SKIPPED), (int(count or 0) for count in total.groups())))


def build(folder, quick):
    tool = [ROOT / "tools/build", folder, f"--cross-file={ROOT}/tools/windows.ini",
            "-Dwerror=true", "-k"]
    share = ["untorn.exe", "tests/worker.exe", *(f"tests/{name}_test.exe" for name in QUICK)]
    done = subprocess.run([*tool, "tests/bridge.exe", *(share if quick else WHOLE)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        print(*(line for line in done.stdout.splitlines() if "error" in line), sep="\n")
        sys.exit("tests/windows/run.py: it does not build for Windows")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default="build-windows")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("text", nargs="?", default="")
    words = parser.parse_args()
    if wine.missing():
        print(f"needs {' and '.join(wine.missing())}")
        sys.exit(77)
    wine.own_mounts()
    folder = Path(words.build).absolute()
    build(folder, words.quick)
    if words.quick:
        os.environ["UNTORN_QUICK"] = "1"
    programs = sorted(file for file in (folder / "tests").glob("*_test.exe")
                      if words.text in file.stem and
                      (not words.quick or file.stem.replace("_test", "") in QUICK))
    reasons, total = not_run(), {PASSED: 0, FAILED: 0, SKIPPED: 0}
    with wine.Wine(folder) as world:
        with concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
            runs = [pool.submit(run_suite, world, program, reasons, SECONDS)
                    for program in programs]
        for suite, found, counts in (run.result() for run in runs):
            for kind, count in counts.items():
                total[kind] += count
            for test, (kind, text) in found.items():
                if kind == SKIPPED:
                    print(f"skip {suite}/{test}: {text}")
        for result in cli.run_suites(world, folder, words.text, words.quick, words.jobs):
            total[PASSED] += result.passed
            total[FAILED] += result.failed
            total[SKIPPED] += len(result.skipped)
            for name in result.skipped:
                print(f"skip {name}")
    if not words.quick and (not programs or not words.text):
        for kind, count in run_part("install.py", folder, words.text).items():
            total[kind] += count
    print(f"{total[PASSED]} passed, {total[FAILED]} failed"
          + (f", {total[SKIPPED]} skipped" if total[SKIPPED] else ""))
    sys.exit(total[FAILED] > 0 or total[PASSED] == 0)


if __name__ == "__main__":
    main()
