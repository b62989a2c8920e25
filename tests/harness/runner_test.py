#!/usr/bin/python3
"""The runner counts right, and nothing that goes wrong in a suite is lost."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNNER = Path(__file__).resolve().parents[1] / "run.py"

os.environ.pop("UNTORN_LONG", None)  # the runner goes by it too


def run(files, *arguments):
    """Runs planted suites and returns the status and the lines."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content)
        done = subprocess.run(
            [sys.executable, RUNNER, "--no-build", "--tests", root, "--build", root / "build",
             *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


def expect(status, last, files, *arguments):
    got = run(files, *arguments)
    assert (got[0], got[1][-1]) == (status, last), f"wanted {status} {last!r}, got {got}"
    return "\n".join(got[1])


def passing_failing_and_skipped_suites_are_counted():
    text = expect(1, "2 passed, 1 failed, 1 skipped", {
        "a/good.sh": "true\n", "a/better.sh": "exit 0\n",
        "a/bad.sh": "echo why it failed; exit 3\n",
        "a/not_here.sh": "echo no such tool; exit 77\n", "a/lib.sh": "exit 1\n"})
    assert "why it failed" in text and "status 3" in text and "a/bad " in text, text
    assert "skipped: a/not_here: no such tool" in text, text


def a_suite_that_counts_is_counted_by_its_own_numbers():
    text = expect(1, "5 passed, 2 failed, 1 skipped", {
        "a.sh": "echo 'FAIL one'; echo 'FAIL two'; echo 'skip three: no'\n"
                "echo '4 passed, 2 failed, 1 skipped'; exit 1\n", "b.sh": "true\n"})
    assert "skipped: a: three: no" in text, text


def a_total_that_contradicts_the_status_or_the_lines_is_a_failure():
    expect(1, "4 passed, 1 failed", {"a.sh": "echo '4 passed, 0 failed'; exit 1\n"})
    expect(1, "4 passed, 1 failed", {"a.sh": "echo 'FAIL x'; echo '4 passed, 0 failed'\n"})
    expect(1, "4 passed, 1 failed", {"a.sh": "echo '4 passed, 0 failed, 1 skipped'\n"})
    expect(1, "0 passed, 1 failed", {"a.sh": "echo '0 passed, 0 failed'\n"})
    expect(1, "0 passed, 1 failed", {"a.sh": "kill -9 $$\n"})


def expected_output_is_compared_byte_by_byte():
    good = {"a.sh": "echo out; echo err >&2; exit 4\n", "a.stdout": "out\n", "a.stderr": "err\n",
            "a.exit": "4\n"}
    expect(0, "1 passed, 0 failed", good)
    for name, wrong in (("a.stdout", "out"), ("a.stderr", "other\n"), ("a.exit", "0\n")):
        expect(1, "0 passed, 1 failed", {**good, name: wrong})
    text = expect(1, "0 passed, 1 failed", {**good, "a.stdout": "wanted\n"})
    assert "-wanted" in text and "+out" in text, text


def no_suite_at_all_is_a_failure():
    expect(1, "0 passed, 0 failed", {"a.sh": "true\n"}, "no_such_name")


def a_name_selects_suites():
    expect(0, "1 passed, 0 failed", {"file/lock.sh": "true\n", "b.sh": "exit 1\n"}, "file/lo")


def a_hanging_suite_is_killed_with_all_that_it_started():
    mark = f"7{os.getpid()}.5"
    text = expect(1, "0 passed, 1 failed",
                  {"a.sh": f"sleep {mark} & echo begun; sleep {mark}\n"}, "--timeout", "1")
    assert "killed after 1 s" in text and "begun" in text, text
    assert_gone(mark)


def an_interrupted_runner_leaves_nothing_running():
    mark = f"9{os.getpid()}.5"
    with tempfile.TemporaryDirectory() as directory:
        for name in ("a.sh", "b.sh", "c.sh"):
            Path(directory, name).write_text(f"sleep {mark}\n")
        runner = subprocess.Popen(
            [sys.executable, RUNNER, "--no-build", "--tests", directory, "--build", directory],
            stdout=subprocess.PIPE, text=True)
        while len(running_with(mark)) < 2:
            time.sleep(0.01)
        runner.send_signal(signal.SIGTERM)
        text = runner.communicate()[0]
    assert runner.returncode == 1 and text.endswith("0 passed, 3 failed\n"), text
    assert_gone(mark)


def what_a_suite_leaves_running_is_ended():
    mark = f"8{os.getpid()}.5"
    expect(0, "1 passed, 0 failed", {"a.sh": f"sleep {mark} &\n"})
    assert_gone(mark)


def assert_gone(mark):
    """A process that was killed may take a moment to go."""
    deadline = time.monotonic() + 100
    while running_with(mark):
        assert time.monotonic() < deadline, f"still running: {running_with(mark)}"
        time.sleep(0.01)


def running_with(mark):
    return [file for file in Path("/proc").glob("[0-9]*/cmdline") if holds(file, mark)]


def holds(file, mark):
    try:
        return mark.encode() in file.read_bytes().split(b"\0")
    except OSError:
        return False


def each_suite_has_a_fresh_directory_that_goes_away():
    with tempfile.TemporaryDirectory() as directory:
        note = Path(directory, "note")
        expect(0, "2 passed, 0 failed", {
            name: f'[ -z "$(ls -A)" ] && touch left && chmod 0 . && pwd >>{note}\n'
            for name in ("a.sh", "b.sh")})
        places = note.read_text().split()
        assert len(set(places)) == 2, places
        assert not any(Path(place).exists() for place in places), places


def the_environment_names_the_command_and_the_folders():
    expect(0, "1 passed, 0 failed", {
        "a.sh": '[ "$UNTORN" = "$BUILD/untorn" ] && [ "${PATH%%:*}" = "$BUILD" ] &&\n'
                '[ -e "$TESTS/a.sh" ] && [ -x "$PYTHON" ] && [ -z "${UNTORN_LOCK-}" ]\n'})


def what_is_set_by_hand_for_the_suites_is_handed_on():
    """And a folder given from where one stands is found from where the suite stands."""
    script = {"a.sh": f'[ "$UNTORN_SUITES" = "{os.getcwd()}/some" ] && [ "$UNTORN_LONG" = 1 ] &&\n'
                      '[ -z "${UNTORN_LOCK-}" ]\n'}
    unset = {"a.sh": '[ -z "${UNTORN_SUITES+set}" ] && [ -z "${UNTORN_LONG+set}" ]\n'}
    before = dict(os.environ)
    try:
        os.environ.update(UNTORN_SUITES="some", UNTORN_LONG="1", UNTORN_LOCK="x")
        expect(0, "1 passed, 0 failed", script)
        for name in ("UNTORN_SUITES", "UNTORN_LONG"):
            del os.environ[name]
        expect(0, "1 passed, 0 failed", unset)
    finally:
        os.environ.clear()
        os.environ.update(before)


def what_suites_count_is_added_up_by_kind():
    """Also of a suite that fails; a line that only looks like one is none of it."""
    text = expect(1, "2 passed, 2 failed", {
        "a.sh": "echo 'tally: kills 1200'; echo '    tally: crash states, all 3'\n",
        "b.sh": "echo 'tally: kills 34'; echo 'the tally: kills 5'; echo 'tally: kills few'\n"
                "echo 'tally: kills 7' >&2\necho '1 passed, 1 failed'; exit 1\n",
        "c.sh": "exit 1\n"})
    lines = [line.split() for line in text.splitlines()]
    assert ["kills", "1,234"] in lines, text
    assert ["crash", "states,", "all", "3"] in lines, text
    assert lines.index(["kills", "1,234"]) > lines.index(["crash", "states,", "all", "3"]), text
    assert sum("kills" in line for line in lines) == 5, text  # the total, and why b failed


def what_a_sanitized_run_repeats_is_not_added_again_and_never_long():
    program = ("#!/bin/sh\necho 'tally: states 5'; echo '1 passed, 0 failed'\n"
               'case $0 in *-asan/*) [ -z "$UNTORN_LONG" ];; *) [ "$UNTORN_LONG" ];; esac\n')
    with tempfile.TemporaryDirectory() as directory:
        for build in ("build", "build-asan"):
            file = Path(directory, build, "tests/a_test")
            file.parent.mkdir(parents=True)
            file.write_text(program)
            file.chmod(0o755)
        Path(directory, "tests").mkdir()
        Path(directory, "tests/a_test.c").write_text("")
        done = subprocess.run([sys.executable, RUNNER, "--no-build", "--tests",
                               f"{directory}/tests", "--build", f"{directory}/build"],
                              env=os.environ | {"UNTORN_LONG": "1"},
                              stdout=subprocess.PIPE, text=True, check=False)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["states", "5"] in lines and lines[-1][:4] == "2 passed, 0 failed".split(), done.stdout


def figures_are_written_where_all_is_reached_and_nothing_failed():
    before = "# A\n\n<!-- figures -->\nold\n<!-- end of figures -->\nb\n"
    suites = {"a.sh": "echo 'tally: power cuts 400'; echo 'tally: kills 20000'\n",
              "b.sh": "echo 'tally: power cuts 111'\n", "c.sh": "true\n"}
    with tempfile.TemporaryDirectory() as directory:
        document = Path(directory, "page.md")

        def now(status, last, files):
            document.write_text(before)
            return expect(status, last, files, "--figures", document), document.read_text()

        text, page = now(0, "3 passed, 0 failed", suites)
        assert "power cuts: " not in text, text
        assert page.startswith("# A\n\n<!-- figures -->\n`make check-long` of 20"), page
        assert page.endswith("|\n<!-- end of figures -->\nb\n") and "old" not in page, page
        assert "in 0 minutes: 3 passed, 0 failed.\n" in page, page
        assert "| power cuts of a machine | 500 | 511 |" in page, page
        assert "| kills meanwhile | 20,000 | 20,000 |" in page, page
        assert "| updates at the same time | 1,000,000 | not run |" in page, page

        text, page = now(1, "2 passed, 1 failed", {name: suites[name] for name in ("a.sh", "c.sh")})
        assert "power cuts: 400, and it should be 500\n" in text and page == before, text + page
        assert now(1, "3 passed, 1 failed", suites | {"d.sh": "exit 1\n"})[1] == before


def serial_suites_run_alone():
    text = "# run: {}\nmkdir {}/busy || exit 1\nsleep 0.2\nrmdir {}/busy\n"
    with tempfile.TemporaryDirectory() as directory:
        suites = {f"{n}.sh": text.format("serial, budget 1", directory, directory)
                  for n in range(3)}
        expect(0, "3 passed, 0 failed", suites, "--jobs", "3")
        shared = {name: content.replace("serial, ", "") for name, content in suites.items()}
        status, _ = run(shared, "--jobs", "3")
        assert status == 1, "the control ran alone too: this test proves nothing"


TESTS = [
    passing_failing_and_skipped_suites_are_counted,
    a_suite_that_counts_is_counted_by_its_own_numbers,
    a_total_that_contradicts_the_status_or_the_lines_is_a_failure,
    expected_output_is_compared_byte_by_byte,
    no_suite_at_all_is_a_failure,
    a_name_selects_suites,
    a_hanging_suite_is_killed_with_all_that_it_started,
    an_interrupted_runner_leaves_nothing_running,
    what_a_suite_leaves_running_is_ended,
    each_suite_has_a_fresh_directory_that_goes_away,
    the_environment_names_the_command_and_the_folders,
    what_is_set_by_hand_for_the_suites_is_handed_on,
    what_suites_count_is_added_up_by_kind,
    what_a_sanitized_run_repeats_is_not_added_again_and_never_long,
    figures_are_written_where_all_is_reached_and_nothing_failed,
    serial_suites_run_alone,
]


def main():
    failed = 0
    for test in TESTS:
        try:
            test()
            print("ok ", test.__name__)
        except AssertionError as error:
            failed += 1
            print("FAIL", test.__name__, error)
    print(f"{len(TESTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
