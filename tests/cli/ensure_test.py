#!/usr/bin/python3
"""untorn ensure."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, expect, file_is, main, make, prints, refuses  # noqa: E402

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\n")


@case
def what_is_not_there_is_created_and_printed():
    prints("8080\n", "ensure", "f.toml", "server.port", "8080")
    file_is("f.toml", "[server]\nport = 8080\n")
    prints("x\n", "ensure", "f.json", "a", "x")
    prints("x\n", "get", "f.json", "a")


@case
def what_is_there_is_printed_and_stays():
    make("f.json", '{"s": "x y", "n": null, "o": {"a": [1]}, "f": 1.50} ')
    before = os.stat("f.json")
    prints("x y\n", "ensure", "f.json", "s", "other")
    prints("null\n", "ensure", "f.json", "n", "1")
    prints("1.50\n", "ensure", "f.json", "f", "no number")
    prints('{\n  "a": [\n    1\n  ]\n}\n', "ensure", "f.json", "o", "1")
    prints('"x y"\n', "ensure", "--json", "f.json", "s", "1")
    after = os.stat("f.json")
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@case
def a_uuid_is_made_once():
    first = expect(0, "ensure", "-k", "f.json", "--uuid", "/srv/a.b \"c'").out
    assert UUID.fullmatch(first), first
    prints(first, "ensure", "-k", "f.json", "--uuid", "/srv/a.b \"c'")
    prints(json.dumps(first.strip()) + "\n", "ensure", "-k", "f.json", "--uuid", "--json",
           "/srv/a.b \"c'")
    assert expect(0, "ensure", "f.json", "--uuid", "other").out != first
    assert json.loads(Path("f.json").read_text())["/srv/a.b \"c'"] == first.strip()


@case
def the_value_is_spelled_as_for_set():
    prints("1979-05-27\n", "ensure", "f.toml", "--toml", "d", "1979-05-27")
    prints("12\n", "ensure", "f.toml", "--string", "s", "12")
    prints('[\n  1\n]\n', "ensure", "f.toml", "--json", "l", "[1]")
    prints("secret\n", "ensure", "f.toml", "--from", "-", "t", stdin="secret\n")
    file_is("f.toml", 'd = 1979-05-27\ns = "12"\nl = [1]\nt = "secret"\n')
    prints("9\n", "ensure", "-k", "f.toml", "a", "b.c", "9")
    prints("9\n", "get", "-k", "f.toml", "a", "b.c")


@case
def a_report_has_the_value():
    report = json.loads(expect(0, "ensure", "--report", "f.json", "a", "x").out)
    assert report["value"] == "x" and report["flags"] == ["created"], report
    report = json.loads(expect(0, "ensure", "--report", "f.json", "a", "y").out)
    assert report["value"] == "x" and report["flags"] == ["unchanged"], report
    report = json.loads(expect(3, "ensure", "--report", "f.json", "a.b", "y").out)
    assert "value" not in report and report["status"] == "NO_KEY", report


@case
def a_dry_run_changes_nothing():
    make("f.json", '{"a": 1}\n')
    assert '+{"a": 1, "b": 2}' in expect(0, "ensure", "--dry-run", "f.json", "b", "2").out
    prints("", "ensure", "--dry-run", "f.json", "a", "2")
    file_is("f.json", '{"a": 1}\n')


@case
def what_does_not_parse_is_never_replaced():
    for content in ("", "{", '{"a": 1', "\0\0\0"):
        make("f.json", content)
        refuses(4, "f.json", "ensure", "f.json", "--uuid", "a")


@case
def it_is_refused_where_set_is():
    make("f.json", '{"a": 1, "l": []}')
    refuses(3, "f.json", "ensure", "f.json", "a.b", "1")
    refuses(3, "f.json", "ensure", "f.json", "/x/y", "1")
    refuses(2, "f.json", "ensure", "f.json", "l[+]", "1")
    refuses(2, "f.json", "ensure", "f.json", "a")
    refuses(2, "f.json", "ensure", "f.json")
    refuses(2, "f.json", "ensure", "f.json", "", "1")
    refuses(2, "f.json", "ensure", "f.json", "a", "1", "2")
    refuses(2, "f.json", "ensure", "f.json", "--uuid", "a", "1")
    refuses(2, "f.json", "ensure", "f.json", "--uuid", "--toml", "a")
    refuses(2, "f.json", "ensure", "f.json", "--json", "a", "{")
    expect(3, "ensure", "none/f.json", "a", "1")
    expect(2, "ensure", "f.text", "a", "1")
    expect(2, "ensure", "-", "a", "1")
    prints("1\n", "ensure", "--parents", "none/f.json", "a", "1")


@case
def what_is_not_utf_8_is_refused_and_the_message_says_what_to_type():
    make("f.json", "{}")
    done = refuses(2, "f.json", "ensure", "-k", "f.json", b"/srv/caf\xe9", "x")
    assert "write this byte as %E9, and a % as %25" in done.err, done
    done = refuses(2, "f.json", "ensure", "f.json", "a", b"caf\xe9")
    assert "%XX" in done.err and "%25" in done.err, done
    prints("x\n", "ensure", "-k", "f.json", "/srv/caf%E9", "x")


@case
def a_value_that_cannot_be_printed_is_told():
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(["untorn", "ensure", "f.json", "a", "1"], stdout=full,
                              stderr=subprocess.PIPE, check=False)
    assert done.returncode == 7, done
    prints("1\n", "get", "f.json", "a")


if __name__ == "__main__":
    main()
