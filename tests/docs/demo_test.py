#!/usr/bin/python3
"""The demo shows losses before, none with untorn, and would tell if there were some."""
# run: budget 30

import contextlib
import importlib.util
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock
import xml.etree.ElementTree
from pathlib import Path

if not importlib.util.find_spec("tomlkit"):
    print("needs tomlkit, which the program of one report uses")
    sys.exit(77)
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tools/demo.d")]
from support import PACKAGE, Case, main  # noqa: E402

import full_disk  # noqa: E402
import processes  # noqa: E402
import side  # noqa: E402
import six_writers  # noqa: E402
from browser import Browser  # noqa: E402
from record import Record, timeline  # noqa: E402
from terminal import Terminal  # noqa: E402

BEFORE, AFTER = ROOT / "examples/python/before", ROOT / "examples/python/after"
ROW = re.compile(r"^   (\S.*\S) +(\d+) of (\d+) +(\d+) of (\d+)$", re.M)
TITLE = re.compile(r"^([A-D])  \S.*$", re.M)
WINDOWS = (390, 1280)
# What does not depend on luck: chosen kills, a full disk, a torn file. The last two trace nothing.
ALWAYS_LOST = [("A", "killed at system calls of save()"),
               ("B", "killed at system calls of set_value()"),
               ("B", "comments, after the worst of these kills"),
               ("C", "killed at system calls of a write"),
               ("D", "killed at system calls of investigation_for()"),
               ("C", "the disk is full; half of them through a link"),
               ("D", "a torn map is met, and one more target asked for")]


def can_trace():
    try:
        return processes.run_until_call(os.getppid, 1)[1]
    except processes.NoTracing:
        return False


needs_tracing = unittest.skipUnless(can_trace(), "no process can be traced here")
needs_browser = unittest.skipUnless(shutil.which("chromium"),
                                    "needs chromium (tools/setup browser)")


def own_build():
    """A build folder with nothing but the package, so that what is left there is seen."""
    build = Path("build").absolute()
    build.mkdir()
    (build / "python").symlink_to(PACKAGE)
    return build


def demo(build, *arguments, **how):
    return subprocess.Popen([sys.executable, ROOT / "tools/demo", "--quick", *arguments],
                            env={**os.environ, "BUILD": str(build), "TERM": "xterm"}, **how)


def run(build, *arguments):
    """[status, what it printed]"""
    process = demo(build, *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    printed = process.communicate()[0]
    return process.returncode, printed


def losses(printed):
    """{report: {trial: (lost before, of, lost after, of)}} of the table."""
    table = printed[printed.index("lost before"):]
    parts = TITLE.split(table)[1:]
    return {letter: {row[0]: tuple(map(int, row[1:])) for row in ROW.findall(rows)}
            for letter, rows in zip(parts[::2], parts[1::2])}


def processes_of(build):
    """The processes that work in this folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"{build}/demo." in entry.read_text(errors="replace"):
                found.append(entry.parent.name)
        except OSError:
            pass
    return found


class Demo(Case):
    @classmethod
    def setUpClass(cls):
        cls.home = Path("a-run").absolute()
        cls.home.mkdir()
        here = os.getcwd()
        os.chdir(cls.home)
        cls.build = own_build()
        cls.page = cls.home / "out.html"
        cls.status, cls.printed = run(cls.build, "--html", cls.page)
        os.chdir(here)

    def test_ends_well_and_says_so(self):
        self.assertEqual(self.status, 0, self.printed)
        self.assertIn("With untorn nothing was lost.", self.printed)

    def test_each_report_loses_before_and_nothing_after(self):
        found = losses(self.printed)
        self.assertEqual(list(found), ["A", "B", "C", "D"])
        for report, rows in found.items():
            self.assertGreater(sum(row[0] for row in rows.values()), 0, report)
            self.assertEqual([row[2] for row in rows.values()], [0] * len(rows), report)

    @needs_tracing
    def test_what_is_the_same_in_every_run_is_lost_before_in_every_run(self):
        found = losses(self.printed)
        for report, what in ALWAYS_LOST:
            self.assertGreater(found[report][what][0], 0, f"{report} {what}")
        for report, what in ALWAYS_LOST[-2:]:
            self.assertEqual(found[report][what][0], found[report][what][1])

    def test_leaves_nothing_behind(self):
        self.assertEqual(os.listdir(self.build), ["python"])
        self.assertEqual(sorted(os.listdir(self.home)), ["build", "out.html"])
        self.assertEqual(processes_of(self.build), [])

    def test_prints_plain_lines_where_there_is_no_terminal(self):
        self.assertNotRegex(self.printed, r"[\x00-\x09\x0b-\x1f]")
        table = self.printed[self.printed.index("A  ", self.printed.index("lost before")):]
        self.assertLessEqual(max(map(len, table.splitlines()[:-1])), 80)

    def test_page_needs_nothing_else(self):
        page = self.page.read_text()
        self.assertNotRegex(page, r"<script|<link[^>]+stylesheet|https?:|@import|src=")
        self.assertEqual(page.count("<style>"), 1)

    def test_page_has_what_the_table_has(self):
        words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", self.page.read_text()))
        for rows in losses(self.printed).values():
            for what, row in rows.items():
                self.assertIn(what, words)
                self.assertIn(f" {row[0]} of {row[1]} ", words)

    @needs_tracing
    def test_pictures_say_in_words_what_they_show(self):
        drawings = re.findall(r"<svg viewBox.*?</svg>", self.page.read_text(), re.S)
        pictures = [xml.etree.ElementTree.fromstring(text) for text in drawings
                    if 'role="img"' in text]
        self.assertEqual(len(pictures), 8)
        for picture in pictures:
            names = picture.get("aria-labelledby").split()
            said = {part.get("id"): part.text for part in picture if part.tag in ("title", "desc")}
            self.assertEqual(sorted(said), sorted(names))
            self.assertRegex(said[names[1]], r"Before: .*kill.*After: .*kill")

    @needs_browser
    def test_page_is_right_in_a_browser(self):
        with Browser(self.home.parent) as browser:
            for width in WINDOWS:
                for dark in (False, True):
                    browser.open(self.page.as_uri(), width, 800, dark)
                    self.check_window(browser, width)

    def check_window(self, browser, width):
        self.assertEqual(browser.evaluate("innerWidth"), width)
        self.assertEqual(browser.evaluate("document.documentElement.scrollWidth"), width)
        asked = [event["request"]["url"] for event in browser.events("Network.requestWillBeSent")]
        self.assertEqual(asked, [self.page.as_uri()])
        self.assertEqual(browser.events("Log.entryAdded", "Runtime.consoleAPICalled",
                                        "Runtime.exceptionThrown"), [])
        seen = browser.evaluate("document.body.innerText")
        for rows in losses(self.printed).values():
            for what in rows:
                self.assertIn(what, seen)
        drawn = browser.evaluate("[...document.querySelectorAll('svg[role=img]')].map("
                                 "one => one.getBoundingClientRect().height > 60)")
        self.assertGreaterEqual(len(drawn), 4)
        self.assertTrue(all(drawn), drawn)


class BrowserControl(Case):
    @needs_browser
    def test_a_page_that_asks_complains_and_is_too_wide_is_noticed(self):
        self.put("bad.html", "<p style='width: 600px'>wide<script>console.error('no')</script>"
                             "<img src='gone.png'>")
        with Browser(os.getcwd()) as browser:
            browser.open(Path("bad.html").absolute().as_uri(), 390, 800)
            self.assertGreater(browser.evaluate("document.documentElement.scrollWidth"), 390)
            self.assertEqual(len(browser.events("Network.requestWillBeSent")), 2)
            self.assertTrue(browser.events("Log.entryAdded"))
            self.assertTrue(browser.events("Runtime.consoleAPICalled"))


class Otherwise(Case):
    def test_who_loses_what_is_told_whichever_side_it_is(self):
        status, printed = run(own_build(), "--before", AFTER, "--after", BEFORE)
        self.assertEqual(status, 1, printed)
        self.assertIn("untorn BROKE ITS PROMISE in report A, B, C, D:", printed)
        for report in "ABCD":
            self.assertIn(f"Report {report} lost nothing before, this time.", printed)
        found = losses(printed)
        for report, what in ALWAYS_LOST if can_trace() else ALWAYS_LOST[-2:]:
            self.assertGreater(found[report][what][2], 0, f"{report} {what}")

    def test_a_program_that_breaks_is_no_success(self):
        self.put("investigations.py", "load_investigations = None\n")
        status, printed = run(own_build(), "--after", os.getcwd(), "--only", "D")
        self.assertEqual(status, 2, printed)
        self.assertIn("demo: report D broke off", printed)
        self.assertEqual(os.listdir("build"), ["python"])

    def test_without_the_package_it_says_what_is_missing(self):
        os.mkdir("empty")
        status, printed = run("empty")
        self.assertEqual(status, 2)
        self.assertIn("no package untorn", printed)
        self.assertEqual(os.listdir("empty"), [])

    def test_what_cannot_be_done_is_told_at_once(self):
        build = own_build()
        for arguments, word in ((["--html", "no/out.html"], "no is no folder"),
                                (["--only", "AX"], "--only takes letters of ABCD")):
            status, printed = run(build, *arguments)
            self.assertEqual(status, 2)
            self.assertIn(word, printed)
            self.assertEqual(os.listdir(build), ["python"])

    def test_interrupted_it_leaves_nothing_behind(self):
        build = own_build()
        for number, report in ((signal.SIGINT, "C"), (signal.SIGTERM, "D")):
            process = demo(build, "--only", report, stdout=subprocess.PIPE, text=True)
            with process.stdout as lines:
                while "   before " not in lines.readline():
                    pass
                self.assertTrue(processes_of(build))
                process.send_signal(number)
                process.wait()
            self.assertEqual(process.returncode, 128 + number)
            self.assertEqual(os.listdir(build), ["python"])
            self.assertEqual(processes_of(build), [])


class OnATerminal(Case):
    def shown(self):
        ours, theirs = pty.openpty()
        process = demo(own_build(), "--only", "A", stdout=theirs)
        os.close(theirs)
        shown = b""
        try:
            while data := os.read(ours, 1 << 16):
                shown += data
        except OSError:
            pass  # the other end is closed
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        return shown.decode()

    def test_a_line_moves_and_the_table_is_coloured(self):
        shown = self.shown()
        self.assertRegex(shown, r"\r\x1b\[K   before \[#+ *\] save\(\), killed at system call \d+")
        self.assertRegex(shown, r"\x1b\[31m *\d+ of \d+\x1b\[0m\x1b\[32;1m *0 of \d+\x1b\[0m")

    def test_no_color_is_respected(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        with open(theirs, "w") as file, unittest.mock.patch.dict(os.environ, TERM="xterm"):
            self.assertIn("\x1b[", Terminal(file).paint("lost", "bad"))
            os.environ["NO_COLOR"] = "1"
            self.assertEqual(Terminal(file).paint("lost", "bad"), "lost")


class WhereLessIsPossible(Case):
    def test_kills_that_cannot_be_made_are_not_counted_but_told(self):
        def refuse(*_):
            raise processes.NoTracing

        real, processes.run_until_call = processes.run_until_call, refuse
        self.addCleanup(setattr, processes, "run_until_call", real)
        stand = side.Stand(str(AFTER), os.getcwd(), True)
        skills = six_writers.writers("hub", stand.program("skills_hub"))[1]
        self.addCleanup(sys.modules.pop, "skills_hub")
        with contextlib.redirect_stdout(io.StringIO()) as told:
            stand.sweep("killed", [skills])
        self.assertEqual(json.loads(told.getvalue()),
                         {"note": "not tried: killed, as no process can be traced here"})

    def test_a_limit_fails_the_writes_as_a_full_disk_does(self):
        mount, full_disk.mount = full_disk.mount, lambda place: False
        self.addCleanup(setattr, full_disk, "mount", mount)
        for folder, whole in ((BEFORE, 0), (AFTER, 12)):
            program = side.Stand(str(folder), None, True).program("skills_hub")
            del sys.modules["skills_hub"]
            record = Record(f"record-{folder.name}")
            mounted, verdicts, _ = six_writers.write_all_without_room(
                os.path.abspath(folder.name), program, record)
            self.assertFalse(mounted)
            self.assertEqual((verdicts["whole"], sum(verdicts.values())), (whole, 12))
            self.assertEqual([note["kind"] for note in record.notes()].count("failed"), 12)


class Timeline(Case):
    def test_writes_kills_and_reads_are_shown_as_they_were_noted(self):
        record = Record("record")
        record.mark("now")
        record.write("a", "one", lambda: None)
        record.write("a", "two", lambda: None)
        record.write("b", "three", lambda: 1 // 0)
        record.note("begin", "b", what="four")
        record.note("kill", "b")
        record.note("undone", "b")
        record.note("read", "reader", saw="torn")
        shown = timeline(record.notes(), {"a": "A", "b": "B"}, ["two"], 1)
        self.assertEqual([[write[0], write[3]] for write in shown["writes"]],
                         [[0, "kept"], [0, "lost"], [1, "failed"], [1, "killed"]])
        self.assertEqual([shown["kills"][0][0], shown["reads"][0][1]], [1, "torn"])
        self.assertTrue(all(write[1] <= write[2] for write in shown["writes"]))

    def test_what_a_kill_undid_is_shown_as_lost(self):
        record = Record("record")
        for version in range(2):
            record.write("a", version, lambda: None)
        record.note("begin", "a", what=2)
        record.note("kill", "a")
        record.note("undone", "a")
        record.note("kill", "a")
        record.note("undone", "a")
        shown = timeline(record.notes(), {"a": "A"}, [], 2)
        self.assertEqual([write[3] for write in shown["writes"]], ["kept", "lost", "killed"])

    def test_idle_time_and_further_rounds_are_left_out(self):
        record = Record("record")
        for _ in range(3):
            record.note("round", "a")
            record.note("begin", "a", what=1)
            record.note("kill", "a")
        time.sleep(0.1)
        record.mark("later")
        record.note("round", "b")
        record.note("kill", "b")
        shown = timeline(record.notes(), {"a": "A", "b": "B"}, [], 2)
        self.assertEqual([kill[0] for kill in shown["kills"]], [0, 0, 1])
        self.assertEqual(len(shown["breaks"]), 1)
        self.assertLess(shown["span"], 0.06)


if __name__ == "__main__":
    main()
