#!/usr/bin/python3
"""What only the command for Windows has: run by tests/windows/cli.py, under Wine."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))

from lib import CASES, case, changes, expect, file_is, main, make, prints, untorn  # noqa: E402

EXE = "Z:" + os.environ["UNTORN"] + ".exe".replace("/", "\\")
WORDS = ["", "a b", 'say "yes"', "\\", "a\\", 'a\\"', "a\\\\ b\\", "ünïcødé 日本 😀", "%PATH%",
         "^&|<>", "*", "tab\there", "two\nlines", "'", "--", "C:\\a b\\"]


def start(*words, **more):
    return subprocess.Popen(["untorn", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def await_lock(name):
    for _ in range(200):
        if untorn("who", name).status == 0:
            return
        time.sleep(0.05)
    raise AssertionError("nobody takes the lock")


@case
def every_word_arrives_as_it_was_said():
    make("f.json", "{}\n")
    for word in WORDS:
        changes("set", "--string", "f.json", "k", "--", word)
        assert json.loads(Path("f.json").read_text(encoding="utf-8"))["k"] == word, word


@case
def every_word_goes_on_to_a_command():
    make("f.json", "{}\n")
    for word in WORDS:
        expect(0, "lock", "l", "--", EXE, "set", "--string", "f.json", "k", "--", word)
        assert json.loads(Path("f.json").read_text(encoding="utf-8"))["k"] == word, word


@case
def content_is_never_translated():
    content = b"a\r\nb\n\x1a\0\xff\r\n"
    changes("write", "f", stdin=content)
    file_is("f", content)
    assert subprocess.run(["untorn", "read", "f"], capture_output=True,
                          check=True).stdout == content


@case
def names_of_all_scripts_and_both_separators():
    os.mkdir("Ordner 日本")
    changes("write", "Ordner 日本\\ä.json", stdin="1\n")
    prints("1\n", "read", "Ordner 日本/ä.json")
    here = "Z:" + os.getcwd().replace("/", "\\")
    prints("1\n", "read", here + "\\Ordner 日本\\ä.json")
    prints("1\n", "read", here.replace("\\", "/") + "/Ordner 日本/ä.json")


@case
def a_path_may_be_longer_than_260_characters():
    folder = "/".join(["x" * 100] * 4)
    changes("write", "--parents", folder + "/f", stdin="1\n")
    prints("1\n", "read", folder + "/f")
    file_is(folder + "/f", "1\n")
    changes("write", "g", folder + "/f")
    file_is("g", "1\n")


@case
def names_that_windows_takes_for_something_else_are_refused():
    for name in ("NUL", "con.txt", "a:b", "a.", "a ", "a?", "COM1"):
        done = untorn("write", name, stdin="x\n")
        assert done.status != 0 and done.err.startswith("untorn: "), (name, done)
    assert [name for name in os.listdir(".") if name != ".untorn"] == []


@case
def a_device_may_be_read_from():
    make("f", "x\n")
    changes("write", "f", "NUL")
    file_is("f", "")


@case
def inside_a_lock_nobody_waits_for_it():
    make("f.json", '{"n": 1}\n')
    expect(0, "lock", "f.json", "--", EXE, "set", "--wait", "0", "f.json", "n", "2")
    file_is("f.json", '{"n": 2}\n')
    expect(0, "lock", "f.json", "--", "cmd", "/c", EXE, "set", "--wait", "0", "f.json", "n", "3")
    file_is("f.json", '{"n": 3}\n')
    done = expect(0, "lock", "--shared", "f.json", "--", EXE, "get", "f.json", "n")
    assert done.out == "3\n", done


@case
def outside_of_it_everybody_waits():
    holder = start("lock", "f", "--", "sleep", "3")
    await_lock("f")
    expect(6, "write", "--wait", "0", "f", stdin="x\n")
    assert holder.wait() == 0
    changes("write", "--wait", "0", "f", stdin="x\n")


@case
def a_word_that_says_it_is_inside_is_not_believed():
    holder = start("lock", "f", "--", "sleep", "3")
    await_lock("f")
    value = untorn("lock", "g", "--", "cmd", "/c", "echo %UNTORN_LOCK%").out.strip()
    assert value.count(":") == 5, value
    expect(6, "write", "--wait", "0", "f", stdin="x\n", env={"UNTORN_LOCK": value})
    assert holder.wait() == 0


@case
def the_status_of_the_command_is_passed_on():
    for status in (0, 1, 42, 255):
        expect(status, "lock", "f", "--", "cmd", "/c", f"exit {status}")
    expect(127, "lock", "f", "--", "no-such-command")
    expect(127, "lock", "f", "--", ".\\no-such-command")
    os.mkdir("folder")
    expect(126, "lock", "f", "--", ".\\folder")


@case
def a_command_that_crashed_was_killed():
    for code, number in ((0xC0000005, 11), (0xC0000409, 6), (0xC000013A, 2)):
        status = f"exit {code - (1 << 32)}"
        expect(128 + number, "lock", "f", "--", "cmd", "/c", status)
        done = expect(1, "update", "f", "--", "cmd", "/c", status)
        assert f"killed by signal {number} (" in done.err, done


@case
def a_command_is_not_looked_for_where_we_are():
    make("here.cmd", "@exit 0\r\n")
    expect(127, "lock", "f", "--", "here")
    expect(0, "lock", "f", "--", ".\\here")
    expect(0, "lock", "f", "--", "./here.cmd")


@case
def a_batch_file_gets_whole_words_or_none():
    make("say.cmd", '@echo off\r\n>>said.txt echo [%1]\r\n>>said.txt echo [%2]\r\n')
    expect(0, "lock", "f", "--", "./say.cmd", "a b", "x&y")
    file_is("said.txt", '["a b"]\r\n["x&y"]\r\n')
    for word in ('"', "%PATH%", "a\nb"):
        done = expect(126, "lock", "f", "--", "./say.cmd", word)
        assert "Invalid argument" in done.err, done
    file_is("said.txt", '["a b"]\r\n["x&y"]\r\n')


@case
def a_command_filters_without_translation():
    content = b"b\r\na\n\x1a\0\xff"
    changes("write", "f", stdin=content)
    expect(0, "update", "f", "--", EXE, "read", "-")
    file_is("f", content)
    large = bytes(range(256)) * 8192
    changes("write", "f", stdin=large)
    expect(0, "update", "f", "--", EXE, "read", "-")
    file_is("f", large)


@case
def a_command_that_does_not_read_hangs_nobody():
    changes("write", "f", stdin=b"x" * 3000000)
    expect(0, "update", "f", "--", "cmd", "/c", "echo new")
    file_is("f", "new\r\n")


@case
def a_file_that_another_program_keeps_open_is_told_so():
    make("f", "old\n")
    make("keep.cmd", "@sleep 4 >> f\r\n")
    holder = start("lock", "other", "--", "./keep.cmd")
    await_lock("other")
    time.sleep(0.5)
    done = untorn("write", "f", stdin="new\n")
    if done.status != 0:  # else this Wine lets it be replaced
        assert done.status == 1 and "another program has the file open" in done.err, done
        file_is("f", "old\n")
    assert holder.wait() == 0


@case
def an_editor_may_have_blanks_and_quotes():
    os.mkdir("My Editor")
    make("My Editor/ed.cmd", "@echo off\r\n>%2 echo {\"by\": \"%~1\"}\r\n")
    make("f.json", "{}\n")
    expect(0, "edit", "f.json", env={"VISUAL": '".\\My Editor\\ed.cmd" "two words"'})
    file_is("f.json", '{"by": "two words"}\r\n')
    make("fail.cmd", "@exit 3\r\n")
    done = expect(1, "edit", "f.json", env={"VISUAL": ".\\fail.cmd"})
    assert "failed with status 3" in done.err, done


@case
def the_global_configuration_is_in_the_roaming_data():
    unset = {"XDG_CONFIG_HOME": "", "HOME": ""}
    expect(0, "config", "--app", "wintest", "--scope", "global", "set", "a", "1", env=unset)
    done = expect(0, "config", "--app", "wintest", "get", "a", "--show-origin", env=unset)
    assert done.out.startswith("1\tglobal\tC:/users/"), done
    assert done.out.endswith("/AppData/Roaming/wintest/config.toml:1\n"), done
    expect(0, "config", "--app", "wintest", "--scope", "global", "unset", "a", env=unset)


@case
def variables_may_have_every_character():
    folder = "Z:" + os.getcwd().replace("/", "\\") + "\\état"
    os.mkdir("sub")
    changes("write", "sub/f", stdin="x\n", env={"UNTORN_STATE_DIR": folder})
    assert os.path.isdir("état") and not os.path.exists("sub/.untorn")


def on_a_console(keys, *words):
    """What a console shows while the keys are typed, each behind its text; the last may get lost
    while nobody reads, and is typed again."""
    process, terminal = pty.fork()
    if process == 0:
        os.execvp("untorn", ["untorn", *words])
    shown, last = b"", b""
    for _ in range(60):
        if keys and keys[0][0] in shown:
            last = keys.pop(0)[1]
            os.write(terminal, last)
        if not select.select([terminal], [], [], 1)[0]:
            if not keys and last:
                os.write(terminal, last)
            continue
        try:
            more = os.read(terminal, 65536)
        except OSError:
            more = b""
        shown += more
        if not more:
            assert not keys, shown
            return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown
    os.kill(process, signal.SIGKILL)
    raise AssertionError(shown)


@case
def what_is_typed_into_a_console_is_utf_8():
    status, _ = on_a_console([(b"reading standard input", "h\u00e4 \U0001f600\r".encode()),
                              ("h\u00e4 ".encode(), b"\x04")], "write", "f")
    assert status == 0, status
    typed = Path("f").read_bytes().decode().rstrip("\r\n")
    assert typed == "h\u00e4 \U0001f600", typed  # Enter may come too early for Wine


@case
def a_console_shows_every_script_and_colours():
    make("\u00e4.txt", "\u65e5\u672c\n")
    changes("write", "\u00e4.txt", stdin="\u20ac\n")
    _, shown = on_a_console([], "diff", "\u00e4.txt")
    for text in ("-\u65e5\u672c", "+\u20ac", "--- \u00e4.txt"):
        assert text in shown.decode("utf-8", "replace"), (text, shown)
    assert b"\x1b[" in shown, shown


@case
def ctrl_c_ends_it_with_130():
    process = subprocess.Popen(["untorn", "write", "f"], stdin=subprocess.PIPE)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130, process.returncode
    assert not os.path.exists("f")


# What make check has time for.
QUICK = [content_is_never_translated, names_of_all_scripts_and_both_separators,
         inside_a_lock_nobody_waits_for_it, a_batch_file_gets_whole_words_or_none,
         a_command_filters_without_translation, ctrl_c_ends_it_with_130]

if __name__ == "__main__":
    CASES[:] = QUICK if "quick" in sys.argv else CASES
    main()
