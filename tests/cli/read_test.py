#!/usr/bin/python3
"""untorn read: the bytes with a verdict, and the last good version."""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, changes, expect, main, make, prints  # noqa: E402


def two_versions(name="f.json"):
    changes("write", name, stdin='{"n": 1}\n')
    changes("write", name, stdin='{"n": 2}\n')


@case
def damaged_bytes_are_printed_with_exit_4():
    make("f.json", '{"n": 2')
    done = expect(4, "read", "f.json")
    assert done.out == '{"n": 2', done
    lines = done.err.splitlines()
    assert lines[0].startswith("untorn: f.json: truncated: the JSON stops early, at line 1, c")
    assert lines[1:] == ['  {"n": 2', "         ^"], done
    make("f.toml", "a = = 1\n")
    assert "syntax: not TOML" in expect(4, "read", "f.toml").err
    make("e.json", "")
    done = expect(4, "read", "e.json")
    assert done.out == "" and done.err.startswith("untorn: e.json: empty: "), done
    assert not os.path.exists(".untorn")


@case
def nothing_but_nul_bytes_is_damage_in_any_file():
    make("log.txt", b"\0" * 10)
    done = expect(4, "read", "log.txt")
    assert done.out == "\0" * 10 and done.err == (
        "untorn: log.txt: nul: as a crash leaves it where data was not written, a NUL byte at "
        "byte 0\n"), done
    prints("\0" * 10, "read", "--format", "text", "log.txt")
    make("log.txt", b"\0a")
    prints("\0a", "read", "log.txt")


@case
def the_format_may_be_said():
    make("conf", "{} // c")
    prints("{} // c", "read", "conf")
    prints("{} // c", "read", "--format", "jsonc", "conf")
    expect(4, "read", "--format", "json", "conf")
    make("f.json", "{")
    prints("{", "read", "--format", "text", "f.json")
    expect(2, "read", "--format", "yaml", "f.json")
    expect(2, "read", "--last-good", "-")


@case
def a_whole_file_is_its_own_last_good_version():
    two_versions()
    prints('{"n": 2}\n', "read", "--last-good", "f.json")
    prints('{"n": 2}\n', "read", "f.json")


@case
def the_last_good_version_of_a_damaged_file_is_offered_and_printed():
    two_versions()
    make("f.json", '{"n": ')
    done = expect(4, "read", "f.json")
    assert done.err.splitlines()[-1] == ("untorn: f.json: version 1 is whole (to print it: "
                                         "untorn read --last-good)"), done
    done = expect(0, "read", "--last-good", "f.json")
    assert done.out == '{"n": 1}\n', done
    assert done.err.startswith("untorn: f.json: this is version 1, the last that is whole (the "
                               "file: truncated: the JSON stops early"), done
    assert done.err.count("\n") == 1, done


@case
def a_file_that_is_gone_has_a_last_good_version_too():
    two_versions()
    os.unlink("f.json")
    done = expect(3, "read", "f.json")
    assert "version 1 is whole" in done.err, done
    done = expect(0, "read", "--last-good", "f.json")
    assert done.out == '{"n": 1}\n' and "(the file: missing)" in done.err, done


@case
def without_one_the_exit_status_tells_damaged_from_missing():
    make("f.json", "{")
    done = expect(4, "read", "--last-good", "f.json")
    assert done.out == "" and "truncated" in done.err, done
    done = expect(3, "read", "--last-good", "none.json")
    assert done.out == "" and "no such file" in done.err, done
    os.mkdir("d")
    expect(4, "read", "--last-good", "d")
    assert not os.path.exists(".untorn")


if __name__ == "__main__":
    main()
