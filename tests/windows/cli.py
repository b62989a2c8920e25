#!/usr/bin/python3
"""The suites of tests/cli with untorn.exe under Wine, and those that only Windows has.

    tests/windows/cli.py BUILD [TEXT]

Builds them first. What cannot pass here stands in tests/windows/not-here, each line a suite and the
reason. TEXT runs only those whose name contains it, and one that stands there if it is its name.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent))

import run  # noqa: E402
from wine import Wine, own_mounts  # noqa: E402

# The programs of Unix that suites use as commands.
BRIDGED = """awk bash cat cp date dd echo env false grep head jq kill mkdir mv printf python3 rm sed
    sh sleep sort stat tail test touch tr true wc""".split()
TIMEOUT = 300


def make(build):
    tool = [HERE.parent.parent / "tools/build", build,
            f"--cross-file={HERE.parent.parent}/tools/windows.ini"]
    done = run.capture([*tool, "untorn.exe", "tests/bridge.exe"])
    if done.returncode != 0:
        sys.exit(run.only_errors(done.stdout))


def replace(link, target):
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def prepare(build):
    """A folder with `untorn` for PATH, and in it one with the bridges for the PATH of Windows."""
    place = build / "command"
    bridges = place / "bridges"
    bridges.mkdir(parents=True, exist_ok=True)
    replace(place / "untorn.exe", build / "untorn.exe")
    replace(place / "untorn", HERE / "untorn")
    replace(bridges / "untorn.exe", build / "untorn.exe")
    for name in BRIDGED:
        replace(bridges / f"{name}.exe", build / "tests/bridge.exe")
    return place


def not_here():
    lines = (HERE / "not-here").read_text(encoding="utf-8").splitlines()
    return {line.split()[0] for line in lines if line and not line.startswith("#")}


def choose(place, text, quick):
    suites = [suite for suite in run.find_suites(HERE.parent, place, None, "/usr/bin/python3")
              if suite.name.startswith("cli/")]
    suites += [run.Suite(f"windows/{name}", HERE / f"{name}_cases.py",
                         ["/usr/bin/python3", HERE / f"{name}_cases.py", *quick * ["quick"]])
               for name in ("command", "full_disk")]
    names = {suite.name.removeprefix("cli/") for suite in suites}
    if not_here() - names:
        sys.exit(f"tests/windows/not-here names no suite: {', '.join(sorted(not_here() - names))}")
    left_out = not_here() - {text.removeprefix("cli/")}
    return [suite for suite in suites
            if text in suite.name and suite.name.removeprefix("cli/") not in left_out
            and (not quick or suite.name.startswith("windows/"))]


def run_suites(wine, build, text, quick, jobs):
    place = prepare(build)
    os.environ.update({name: value for name, value in wine.environment.items()
                       if name.startswith("WINE")},
                      WINEPATH="Z:" + str(place / "bridges").replace("/", "\\"))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, run.RUNNING.end)
    context = argparse.Namespace(build=place, tests=HERE.parent, jobs=jobs, timeout=TIMEOUT,
                                 python="/usr/bin/python3", coverage=False)
    return run.run_all(choose(place, text, quick), {}, context)


def main():
    own_mounts()
    build = Path(sys.argv[1]).resolve()
    text = sys.argv[2] if len(sys.argv) > 2 else ""
    make(build)
    with Wine(build) as wine:
        results = run_suites(wine, build, text, False, 2)
    passed, failed = sum(r.passed for r in results), sum(r.failed for r in results)
    skipped = [name for result in results for name in result.skipped]
    for name in skipped:
        print(f"skipped: {name}")
    print(f"{passed} passed, {failed} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
