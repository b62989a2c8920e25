#!/usr/bin/python3
"""Builds, runs the tests, and counts.

    tests/run.py [--build DIR] [--jobs N] [--timeout S] [--no-build] [--coverage]
                 [--figures DOCUMENT] [TEXT]

A suite is a C test (tests/**/*_test.c, run plain and sanitized), a script (tests/**/*.sh, but not
lib*.sh) or a Python check (tests/**/*_test.py). TEXT runs only the suites whose name contains it.

A suite runs in a fresh working directory that is removed afterwards, with UNTORN (the command),
BUILD, TESTS and PYTHON in its environment and BUILD first in PATH; of what begins with UNTORN_,
UNTORN_LONG and UNTORN_SUITES are handed on. Its status is 0 for passed, 77 for skipped (the last
line says why), anything else for failed. If its last line reads `N passed, N failed[, N skipped]`
these are counted instead, and the lines `skip NAME: reason` name what was skipped. Beside NAME.sh
there may be NAME.stdout, NAME.stderr and NAME.exit: exactly what it must print, and its status if
that is not 0.

Lines `tally: KIND NUMBER` on its standard output say what it counted (crash states, kills). They
are added up by kind and shown at the end; those of a sanitized run are not, it repeats the plain.
For the same reason a sanitized run is never a long one (UNTORN_LONG).

--figures DOCUMENT: they must be as many as tests/figures.py says, and if nothing failed its table
in the document is made anew.

A comment in the first five lines of a suite may say how to run it, any of these:

    # run: serial, budget 20, timeout 600

serial: alone, after all others; in a long run beside others of its kind. plain: a C test that is
not run sanitized as well. budget: the seconds it should stay under on two cores (10 unless said
otherwise); one that takes longer is marked, not failed. timeout: then it is killed.
"""

import argparse
import collections
import concurrent.futures
import difflib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import figures

ROOT = Path(__file__).resolve().parent.parent
TOTAL = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")
TALLY = re.compile(r"^ *tally: (\S.*) (\d+)$", re.M)
DIRECTIVE = re.compile(r"\brun:\s*((?:serial|plain|budget \d+|timeout \d+)(?:,\s*)?)+")
SKIPPED = 77
# These look at the sources, at the front door, at another build: --coverage leaves them out.
NOT_OF_UNTORN = ("tidy/", "headers/", "front/", "harness/", "windows/", "analysis/")
# Their processes stop in the middle of a function, all in one program. --coverage counts no
# branches there: of a condition that was met and not left, the side that has no counter of its own
# would count as taken. Elsewhere who is killed leaves no counters behind.
STOP_ANYWHERE = ("crash/combine", "sim/")


class Suite:
    """One file of tests and how to run it."""

    def __init__(self, name, file, command, target=None, build=None):
        self.name = name
        self.file = file
        self.command = command
        self.target = target  # what Ninja has to build first
        self.build = build
        self.serial, self.plain, self.budget, self.timeout = False, False, 10, None
        with open(file, encoding="utf-8", errors="replace") as text:
            head = "".join(line for line, _ in zip(text, range(5)))
        match = DIRECTIVE.search(head)
        for word in match.group(0)[4:].split(",") if match else []:
            what, _, number = word.strip().partition(" ")
            if what in ("serial", "plain"):
                setattr(self, what, True)
            elif what:
                setattr(self, what, int(number))


class Result:
    def __init__(self, passed=0, failed=0, skipped=(), output="", seconds=0.0):
        self.passed, self.failed, self.skipped = passed, failed, list(skipped)
        self.output, self.seconds = output, seconds
        self.tally = collections.Counter()


def find_suites(tests, build, sanitized, python):
    suites = []
    for file in sorted(tests.rglob("*")):
        path = file.relative_to(tests)
        name = str(path.with_suffix(""))
        if file.name.endswith("_test.c"):
            if path.parts[0] == "windows":
                continue  # tests/windows/run.py
            program = "tests/" + name.replace("/", "-")
            for where, note in ((build, ""), (sanitized, " (sanitized)")):
                suite = Suite(name.removesuffix("_test") + note, file, [f"{where}/{program}"],
                              program, where)
                if where and not (where == sanitized and suite.plain):
                    suites.append(suite)
        elif file.suffix == ".sh" and not file.name.startswith("lib"):
            suites.append(Suite(name, file, ["bash", file]))
        elif file.name.endswith("_test.py"):
            suites.append(Suite(name.removesuffix("_test"), file, [python, file]))
    return suites


def build_all(suites, build, sanitized):
    """Builds both folders; where that fails, returns the output by target that does not build."""
    broken = {}
    for where, options in ((build, ["-Dwerror=true"]),
                           (sanitized, ["-Dwerror=true", "-Db_sanitize=address,undefined",
                                        "-Db_lundef=false", "-Doptimization=1"])):
        mine = {suite.target for suite in suites if suite.build == where}
        if not where or where == sanitized and not mine:
            continue
        targets = ["test-programs"]
        if where == build:
            targets += ["all", "driver-programs", "examples"]
        started = time.monotonic()
        tool = [ROOT / "tools/build", where, *options]
        made = capture([*tool, "-k", *targets])
        print(f"build {where.name:<46} {time.monotonic() - started:6.1f} s", flush=True)
        if made.returncode == 0:
            continue
        broken[where] = only_errors(made.stdout)
        for target in sorted(mine):
            one = capture([*tool, target])
            if one.returncode != 0:
                broken[where, target] = only_errors(one.stdout)
    return broken


def only_errors(output):
    """Of what Meson and Ninja print, what is about failures."""
    start = re.search(r"^(FAILED:|ninja: error|.*ERROR:)", output, re.M)
    lines = output[start.start():] if start else output
    return re.sub(r"^(\[\d+/\d+\] .*|cc .*|ninja: build stopped.*)\n", "", lines, flags=re.M)


def capture(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)


def counters(suite, context):
    """Where a C test counts what it takes; all others count where the build says."""
    if not context.coverage or not suite.target or suite.name.startswith(STOP_ANYWHERE):
        return {}
    return {"LLVM_PROFILE_FILE": f"{context.build}/profile/ended/%m.profraw"}


def is_sanitized(suite, context):
    return suite.build not in (None, context.build)


def environment(suite, context, directory):
    handed_on = ("UNTORN_SUITES",) if is_sanitized(suite, context) else ("UNTORN_LONG",
                                                                         "UNTORN_SUITES")
    values = {name: value for name, value in os.environ.items()
              if not name.startswith("UNTORN_") or name in handed_on}
    if values.get("UNTORN_SUITES"):
        values["UNTORN_SUITES"] = os.path.abspath(values["UNTORN_SUITES"])
    # Make hands its own options down; a make in a test must not see them.
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES"):
        values.pop(name, None)
    values.update(UNTORN=str(context.build / "untorn"), BUILD=str(context.build),
                  TESTS=str(context.tests), PYTHON=str(context.python), TMPDIR=str(directory),
                  LC_ALL="C.UTF-8", PATH=f"{context.build}:{os.environ['PATH']}:/usr/sbin:/sbin",
                  UBSAN_OPTIONS="print_stacktrace=1")
    return values


def run_suite(suite, context):
    started = time.monotonic()
    scratch = Path(tempfile.mkdtemp(prefix="untorn-check-"))
    try:
        result = run_in(suite, scratch, context)
    finally:
        left = remove_tree(scratch)
    if left:
        result.failed += 1
        result.output += f"\n{left}\n"
    result.seconds = time.monotonic() - started
    return result


class Running:
    """The process groups of the suites that run, so that an interrupted runner leaves none."""

    def __init__(self):
        self.groups, self.interrupted = set(), False

    def end(self, *_):
        self.interrupted = True
        for group in list(self.groups):
            kill_group(group)


def kill_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


RUNNING = Running()


def run_in(suite, scratch, context):
    work = scratch / "work"
    work.mkdir()
    out, err = scratch / "stdout", scratch / "stderr"
    limit = max(suite.timeout or 0, context.timeout)
    with open(out, "wb") as stdout, open(err, "wb") as stderr:
        process = subprocess.Popen(
            suite.command, cwd=work, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
            start_new_session=True,
            env=environment(suite, context, work) | counters(suite, context))
        RUNNING.groups.add(process.pid)
        if RUNNING.interrupted:
            RUNNING.end()
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        RUNNING.groups.discard(process.pid)
        # Also what the suite started and left behind.
        kill_group(process.pid)
        process.wait()
    printed = out.read_text(errors="replace"), err.read_text(errors="replace")
    if status is None:
        return Result(failed=1, output=f"{''.join(printed)}\nkilled after {limit} s\n")
    result = judge(suite, status, *printed)
    if not is_sanitized(suite, context):
        for kind, number in TALLY.findall(printed[0]):
            result.tally[kind] += int(number)
    return result


def judge(suite, status, stdout, stderr):
    lines = stdout.rstrip().splitlines()
    output = stdout + stderr
    expected = {kind: suite.file.with_suffix("." + kind) for kind in ("stdout", "stderr", "exit")}
    if suite.file.suffix == ".sh" and any(file.exists() for file in expected.values()):
        return judge_exact(expected, status, stdout, stderr)
    total = TOTAL.fullmatch(lines[-1]) if lines else None
    if not total:
        if status == SKIPPED:
            return Result(skipped=[f"{suite.name}: {lines[-1] if lines else 'no reason given'}"])
        if status == 0:
            return Result(passed=1)
        return Result(failed=1, output=output + f"\n{describe(status)}\n")
    passed, failed = int(total[1]), int(total[2])
    skipped = [f"{suite.name}: {line[5:].strip()}" for line in lines if line.startswith("skip ")]
    if len(skipped) != int(total[3] or 0):
        failed += 1
        output += f"\n{total[3] or 0} skipped, but {len(skipped)} named\n"
    shown = sum(line.startswith("FAIL ") for line in lines)
    if shown > failed or failed == 0 and status != 0 or passed + failed + len(skipped) == 0:
        failed = max(shown, 1)
        output += f"\n{describe(status)}, yet its last line says: {lines[-1]}\n"
    return Result(passed, failed, skipped, output if failed else "")


def judge_exact(expected, status, stdout, stderr):
    """One test: what it printed, byte by byte, and its status."""
    output = ""
    wanted = int(expected["exit"].read_text()) if expected["exit"].exists() else 0
    if status != wanted:
        output += f"{describe(status)}, not {wanted}\n{stdout}{stderr}"
    for kind, text in (("stdout", stdout), ("stderr", stderr)):
        if expected[kind].exists() and expected[kind].read_text() != text:
            output += "".join(difflib.unified_diff(
                expected[kind].read_text().splitlines(True), text.splitlines(True),
                f"{kind} expected", f"{kind} printed"))
    return Result(failed=1, output=output) if output else Result(passed=1)


def describe(status):
    if status < 0:
        return f"killed by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def remove_tree(directory):
    """Removes it, but never what is mounted in it. Returns what is left, or an empty text."""
    for line in reversed(Path("/proc/self/mounts").read_text().splitlines()
                         if os.path.exists("/proc/self/mounts") else []):
        point = line.split()[1].encode().decode("unicode_escape")
        if point.startswith(f"{directory}/"):
            subprocess.run(["umount", point], stderr=subprocess.DEVNULL, check=False)
            if os.path.ismount(point):
                return f"{point} is still mounted; left as it is"
    for attempt in (1, 2):
        shutil.rmtree(directory, ignore_errors=True)
        if not directory.exists():
            return ""
        if attempt == 1:
            subprocess.run(["chattr", "-R", "-f", "-i", "-a", directory], check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            subprocess.run(["chmod", "-R", "u+rwx", directory], check=False)
    return f"{directory} could not be removed"


class Quick:
    """Scripts of one test that passed within a second: shown by folder, in one line."""

    def __init__(self):
        self.folders = {}

    def takes(self, suite, result):
        folder = suite.name.rpartition("/")[0]
        quick = (suite.file.suffix == ".sh" and folder and result.seconds < 1
                 and result.passed == 1 and not result.failed and not result.skipped)
        if quick:
            count, seconds = self.folders.get(folder, (0, 0.0))
            self.folders[folder] = count + 1, seconds + result.seconds
        return quick

    def show(self):
        for folder, (count, seconds) in sorted(self.folders.items()):
            what = f"{folder}/: {count} script{'s'[:count > 1]}, each within a second"
            print(f"{what:<52} {seconds:6.1f} s            {count} passed")


def show(suite, result, quick):
    if quick.takes(suite, result):
        return
    counts = f"{result.passed} passed"
    if result.failed:
        counts += f", {result.failed} FAILED"
    if result.skipped:
        counts += f", {len(result.skipped)} skipped"
    late = "  over budget" if result.seconds > suite.budget else ""
    print(f"{suite.name:<52} {result.seconds:6.1f} s of {suite.budget:3}   {counts}{late}",
          flush=True)
    if result.failed:
        for line in result.output.rstrip().splitlines():
            if not line.startswith("ok "):
                print(f"    {line}")


def run_all(suites, broken, context):
    results, quick = [], Quick()

    def one(suite):
        if RUNNING.interrupted:
            result = Result(failed=1, output="not run: interrupted")
        elif (suite.build, suite.target) in broken:
            result = Result(failed=1, output=broken[suite.build, suite.target])
        else:
            result = run_suite(suite, context)
        return suite, result

    together = sorted((s for s in suites if not s.serial), key=lambda s: -s.budget)
    serial = [s for s in suites if s.serial]
    beside = context.jobs if os.environ.get("UNTORN_LONG") else 1
    for some, jobs in ((together, context.jobs), (serial, beside)):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in concurrent.futures.as_completed([pool.submit(one, s) for s in some]):
                results.append(done.result()[1])
                show(*done.result(), quick)
    quick.show()
    return results


def show_tally(results):
    """What the suites say they counted: lines `tally: KIND NUMBER`, added up by kind."""
    total = sum((result.tally for result in results), collections.Counter())
    for kind, number in sorted(total.items()):
        print(f"{kind:<52} {number:>15,}")
    return total


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests", help=argparse.SUPPRESS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--figures", type=Path)
    parser.add_argument("text", nargs="?", default="")
    context = parser.parse_args()
    context.build = context.build.absolute()
    context.tests = context.tests.resolve()
    context.python = os.environ.get("PYTHON", "/usr/bin/python3")
    return context


def main():
    context = parse_arguments()
    sanitized = None if context.coverage else Path(f"{context.build}-asan")
    suites = [suite for suite in find_suites(context.tests, context.build, sanitized,
                                             context.python)
              if context.text in suite.name
              and not (context.coverage and suite.name.startswith(NOT_OF_UNTORN))]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, RUNNING.end)
    started = time.monotonic()
    broken = {} if context.no_build else build_all(suites, context.build, sanitized)
    results = run_all(suites, broken, context)
    # A build that fails in what no suite names (the command, an example) is a failure too.
    for where in (context.build, sanitized):
        if where in broken and not any(key[0] == where for key in broken if isinstance(key, tuple)):
            print(broken[where])
            results.append(Result(failed=1))
    passed, failed = sum(r.passed for r in results), sum(r.failed for r in results)
    skipped = [name for result in results for name in result.skipped]
    tally = show_tally(results)
    for line in figures.short_of(tally) if context.figures else ():
        print(line)
        failed += 1
    for name in skipped:
        print(f"skipped: {name}")
    if not results:
        print(f"no suite has {context.text!r} in its name")
    seconds = time.monotonic() - started
    total = f"{passed} passed, {failed} failed" + (f", {len(skipped)} skipped" if skipped else "")
    if context.figures and not failed:
        figures.write(context.figures, tally, seconds, total)
    print(f"{seconds:.0f} s")
    print(total)
    return 1 if failed or not passed + len(skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
