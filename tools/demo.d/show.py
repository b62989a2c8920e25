"""The demo: runs each report against both programs, shows what happens, and what was lost."""

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import page
import processes
import table
from side import REPORTS
from terminal import Terminal

ROOT = Path(__file__).resolve().parents[2]
SIDES = ("before", "after")


class Failed(Exception):
    """The demo could not run."""


class Result:
    """What came of one report on one side."""

    def __init__(self):
        self.rows, self.maps, self.notes, self.picture = [], [], [], None

    @property
    def lost(self):
        return sum(row["lost"] for row in self.rows)


class Report:
    def __init__(self, letter):
        module = importlib.import_module(REPORTS[letter])
        self.letter, self.title, self.story = letter, module.TITLE, " ".join(module.STORY.split())
        self.remark = " ".join(getattr(module, "REMARK", "").split())
        self.sides = {}

    def rows(self):
        """(what, before, after) of each trial; one that a side did not do is None there."""
        before, after = ({row["what"]: row for row in self.sides[side].rows} for side in SIDES)
        return [(what, before.get(what), after.get(what)) for what in {**before, **after}]


class Demo:
    """The folder that all is done in, and the process that does it. end() leaves neither.

    A signal ends the process at once, and the demo as soon as that is seen: at no moment is there a
    process or a folder that nobody knows of.
    """

    def __init__(self, build):
        build = Path(build).absolute()
        self._package = build / "python"
        if not (self._package / "untorn").exists():
            raise Failed(f"{self._package} has no package untorn: make builds it "
                         "(python3-dev has to be there)")
        self._process, self._signal = None, None
        processes.adopt_orphans()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._interrupt)
        self._scratch = Path(tempfile.mkdtemp(prefix="demo.", dir=build))

    def run(self, report, programs, quick, hear):
        """Runs a report on the programs of a folder; hear() has each message."""
        place = self._scratch / "place"
        place.mkdir()
        result, ended = Result(), False
        self._process = subprocess.Popen(
            [sys.executable, "-B", Path(__file__).with_name("side.py"), report.letter, programs,
             place, *["quick"] * quick], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True, encoding="utf-8",
            start_new_session=True, env={**os.environ, "PYTHONPATH": str(self._package)})
        if self._signal:
            self._kill()
        with self._process.stdout as lines:
            for line in lines:
                message = json.loads(line)
                ended = ended or "end" in message
                for kind, into in (("row", result.rows), ("map", result.maps),
                                   ("note", result.notes)):
                    if kind in message:
                        into.append(message[kind])
                result.picture = message.get("picture", result.picture)
                hear(message)
        self._stop()
        if self._signal:
            sys.exit(128 + self._signal)
        if not ended:
            raise Failed(f"report {report.letter} broke off on {programs}")
        shutil.rmtree(place)
        return result

    def _interrupt(self, number, _):
        self._signal = number
        self._kill()

    def _kill(self):
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _stop(self):
        """Ends the process and all that it has started, and waits until none is left."""
        if not self._process:
            return
        self._kill()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-self._process.pid, 0):
                pass
        self._process.wait()
        self._process = None

    def end(self):
        self._stop()
        shutil.rmtree(self._scratch, ignore_errors=True)


def run_all(demo, terminal, arguments):
    reports = [Report(letter) for letter in REPORTS if letter in arguments.only]
    for report in reports:
        terminal.title(report)
        for side in SIDES:
            report.sides[side] = demo.run(report, getattr(arguments, side), arguments.quick,
                                          lambda message: terminal.hear(side, message))
    return reports


def conclude(reports, terminal, seconds):
    """Says what came of it. Returns the status to end with."""
    for report in reports:
        if report.sides["before"].lost == 0:
            terminal.say(f"Report {report.letter} lost nothing before, this time.")
    broken = [report.letter for report in reports if report.sides["after"].lost]
    if broken:
        terminal.say(f"untorn BROKE ITS PROMISE in report {', '.join(broken)}: please tell us.",
                     "bad")
    else:
        terminal.say("With untorn nothing was lost.", "good")
    terminal.say(f"{seconds:.0f} s; no power was cut: that is the work of make check.", "faint")
    return 1 if broken else 0


def save(path, text):
    """Beside it first, so that nobody finds half a page."""
    place = Path(f"{path}.new")
    try:
        place.write_text(text, encoding="utf-8")
        place.replace(path)
    finally:
        place.unlink(missing_ok=True)


def parse(usage):
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--html", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="".join(REPORTS))
    for side in SIDES:
        parser.add_argument(f"--{side}", type=Path, default=ROOT / "examples/python" / side)
    arguments = parser.parse_args()
    if not arguments.only or set(arguments.only) - set(REPORTS):
        parser.error(f"--only takes letters of {''.join(REPORTS)}")
    return arguments


def look_around(arguments):
    """Fails now rather than at the end."""
    if arguments.html and not arguments.html.parent.is_dir():
        raise Failed(f"{arguments.html.parent} is no folder")
    if "B" in arguments.only and not importlib.util.find_spec("tomlkit"):
        raise Failed("the program of report B needs tomlkit (Debian: python3-tomlkit)")


def main(usage):
    arguments, terminal = parse(usage), Terminal(sys.stdout)
    started, demo = time.monotonic(), None
    try:
        look_around(arguments)
        demo = Demo(os.environ.get("BUILD", ROOT / "build"))
        reports = run_all(demo, terminal, arguments)
        terminal.show(table.lines(reports, terminal))
        status = conclude(reports, terminal, time.monotonic() - started)
        if arguments.html:
            save(arguments.html, page.document(reports, time.monotonic() - started))
            terminal.say(f"The page is {arguments.html}", "faint")
        return status
    except (Failed, OSError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    finally:
        terminal.clear()
        if demo:
            demo.end()
