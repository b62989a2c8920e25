#!/usr/bin/python3
"""Builds untorn for Windows and runs its tests under Wine.

    tests/windows/run.py [--build DIR] [--jobs N] [--quick] [TEXT]

The C suites are those of tests/, compiled unchanged: tests/windows/posix stands in for what they
take from Unix, and a test that needs what Windows or Wine has not is skipped, by name. So is what
tests/windows/not_run.txt lists, with its reason. Then what is installed, for C and for Python
(install.py), and the suites of the command (cli.py). --quick leaves these out, and runs a share of
the first. With TEXT only the suites whose name has it. Ends with `N passed, N failed`; status 77
where mingw or Wine is missing.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
QUICK = ["base-hash", "file-write", "history-undo", "store-document", "text-json_plan",
         "text-toml_plan", "txn-transaction", "windows-withstand"]
NEEDED = ["x86_64-w64-mingw32-gcc", "wine"]
PASSED, FAILED, SKIPPED = "passed", "FAILED", "skipped"


def not_run():
    """(suite, test) to the reason."""
    reasons = {}
    for line in (ROOT / "tests/windows/not_run.txt").read_text().splitlines():
        found = re.fullmatch(r"(\S+) (\S+): (.+)", line)
        if found:
            reasons[found[1], found[2]] = found[3]
    return reasons


class Wine:
    """A world of its own below the build, and nothing left running."""

    def __init__(self, build):
        self.home = build / "wine"
        self.temporary = build / "tmp"
        self.environment = {**os.environ, "WINEPREFIX": str(self.home), "WINEDEBUG": "-all",
                            "WINEDLLOVERRIDES": "mscoree,mshtml=", "TMPDIR": str(self.temporary)}
        self.environment.pop("DISPLAY", None)

    def __enter__(self):
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(parents=True)
        self.run(["wineboot", "--init"], 300)
        return self

    def __exit__(self, *_):
        subprocess.run(["wineserver", "--kill"], env=self.environment, check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.temporary, ignore_errors=True)

    def run(self, words, seconds):
        """What it prints; a program that takes too long says so."""
        process = subprocess.Popen(["wine", *map(str, words)], env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += b"\nFAIL the suite took too long\n"
        return output.decode(errors="replace").replace("\r\n", "\n")


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
    if not re.search(r"^\d+ passed, \d+ failed", output, re.M):
        found["the_suite"] = (FAILED, "did not end: " + " ".join(output.split()[-30:]))
    return found


def run_suite(wine, program, reasons, seconds):
    suite = program.stem.replace("_test", "")
    started = time.monotonic()
    found = outcomes(suite, wine.run([program], seconds), reasons)
    counts = {kind: sum(1 for outcome, _ in found.values() if outcome == kind)
              for kind in (PASSED, FAILED, SKIPPED)}
    words = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    print(f"{suite:<46} {time.monotonic() - started:6.1f} s   {words}", flush=True)
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


def build(folder):
    tool = [ROOT / "tools/build", folder, f"--cross-file={ROOT}/tools/windows.ini", "-k"]
    done = subprocess.run([*tool, "untorn.dll", "test-programs"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
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
    missing = [command for command in NEEDED if not shutil.which(command)]
    if missing:
        print(f"needs {' and '.join(missing)}")
        sys.exit(77)
    folder = Path(words.build).absolute()
    build(folder)
    programs = sorted(file for file in (folder / "tests").glob("*_test.exe")
                      if words.text in file.stem and
                      (not words.quick or file.stem.replace("_test", "") in QUICK))
    reasons, total = not_run(), {PASSED: 0, FAILED: 0, SKIPPED: 0}
    with Wine(folder) as wine, concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        runs = [pool.submit(run_suite, wine, program, reasons, 600) for program in programs]
        for run in runs:
            suite, found, counts = run.result()
            for kind, count in counts.items():
                total[kind] += count
            for test, (kind, text) in found.items():
                if kind == SKIPPED:
                    print(f"skip {suite}/{test}: {text}")
    parts = ["install.py"] if words.quick else ["install.py", "cli.py"]
    for script in parts if not programs or not words.text else []:
        for kind, count in run_part(script, folder, words.text).items():
            total[kind] += count
    print(f"{total[PASSED]} passed, {total[FAILED]} failed"
          + (f", {total[SKIPPED]} skipped" if total[SKIPPED] else ""))
    sys.exit(total[FAILED] > 0 or total[PASSED] == 0)


if __name__ == "__main__":
    main()
