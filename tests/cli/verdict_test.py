#!/usr/bin/python3
"""untorn check: the verdicts on documents; untorn update: what may replace one; quarantine."""

import json
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, changes, expect, file_is, main, make, prints, refuses  # noqa: E402


def verdict(name, *words):
    """The verdict of the report line; the message says the same."""
    done = expect({"whole": 0, "missing": 3}.get(verdict.wanted, 4), "check", "--report", name,
                  *words)
    line = json.loads(done.out)
    assert line["path"] == name and line["verdict"] == verdict.wanted, done
    if verdict.wanted == "whole":
        assert done.err == "" and "message" not in line, done
    else:
        assert done.err.splitlines()[0] == f"untorn: {line['message']}", done
    return line, done


def quarantines(*words):
    """A verb that replaces damaged content says so."""
    done = expect(0, *words)
    assert "note: the damaged content was kept aside first" in done.err, done


def judged(wanted, content, name="f.json", *words):
    verdict.wanted = wanted
    make(name, content)
    before = Path(name).read_bytes(), os.stat(name)
    line, done = verdict(name, *words)
    assert (Path(name).read_bytes(), os.stat(name)) == before
    return line, done


@case
def every_verdict_has_its_word():
    judged("whole", '{"a": 1}')
    judged("whole", "a = 1\n", "f.toml")
    judged("empty", "")
    judged("nul", '{"a": 1}\0\0')
    judged("nul", b"\0" * 4096)
    judged("nul", "a = 1\n\0", "f.toml")
    judged("syntax", '{"a": 1,}')
    judged("syntax", "a = = 1\n", "f.toml")
    verdict.wanted = "missing"
    verdict("none.json")


@case
def a_text_that_stops_early_is_truncated():
    whole = '{"a": [1, {"b": "x\\u00e9"}, true], "c": null}'
    for end in range(1, len(whole)):
        judged("truncated", whole[:end])
    judged("truncated", '{"a": 1\n')
    judged("truncated", "[")
    for text in ('a = "x', "a = ", "a", "a =", "a = [1,", "[t", "a = '''x\n", "a = {b = 1",
                 "[[t]", 'a = "\\u00', "a.b."):
        judged("truncated", text, "f.toml")


@case
def an_empty_toml_is_whole():
    judged("whole", "", "f.toml")
    judged("whole", "# only a comment", "f.toml")
    judged("truncated", " \n", "f.json")


@case
def a_syntax_error_is_shown():
    line, done = judged("syntax", "a = 1\nport = = 2\n", "f.toml")
    first, text, caret = done.err.splitlines()
    assert first.startswith("untorn: f.toml: syntax: not TOML at line 2, column 8"), done
    assert text.strip() == "port = = 2" and caret.index("^") == text.rindex("="), done
    assert line["position"] == 13 and line["format"] == "toml", line


@case
def without_report_a_whole_document_is_not_mentioned():
    make("f.json", "{}")
    done = expect(0, "check", "f.json")
    assert done.out == done.err == "", done
    make("f.json", "{")
    done = expect(4, "check", "f.json")
    assert done.out == "" and done.err.startswith("untorn: f.json: truncated: "), done


@case
def a_file_of_another_kind_has_no_verdict():
    make("f.txt", "")
    make("nul.bin", b"\0\0")
    os.mkdir("d.json")
    done = expect(0, "check", "--report", "f.txt", "nul.bin", "d.json", ".")
    assert json.loads(done.out)["documents"] == 0 and done.err == "", done


@case
def the_format_may_be_said():
    judged("syntax", '{"a": 1, /* */ }')
    judged("whole", '{"a": 1, /* */ }', "f.json", "--format", "jsonc")
    judged("whole", "a = { b = 1,\n}\n", "f.toml")
    judged("syntax", "a = { b = 1,\n}\n", "f.toml", "--format", "toml-1.0")
    judged("whole", "a = 1\n", "conf", "--format", "toml")
    expect(2, "check", "--format", "text", "conf")


@case
def the_worst_of_several_counts():
    make("ok.json", "1")
    make("bad.json", "")
    expect(4, "check", "ok.json", "bad.json")
    expect(3, "check", "bad.json", "none.json", "ok.json")
    expect(3, "check", "none.json", "bad.json")
    expect(0, "check", "ok.json", "ok.json")
    done = expect(3, "check", "no/dir.json")
    assert done.err.count("\n") == 1, done


@case
def checking_creates_nothing():
    make("f.json", "{")
    expect(4, "check", "f.json")
    expect(3, "check", "none.json")
    assert os.listdir(".") == ["f.json"], os.listdir(".")


@case
def an_update_of_a_document_must_print_one():
    make("f.json", '{"a": 1}\n')
    done = refuses(1, "f.json", "update", "f.json", "--", "tr", "-d", ":")
    lines = done.err.splitlines()
    assert lines[0].startswith("untorn: f.json: what the command printed is not JSON: "), done
    assert "the file is unchanged" in lines[0] and "--format text" in lines[0], done
    assert len(lines) == 3, done
    refuses(1, "f.json", "update", "--dry-run", "f.json", "--", "echo", "x")
    report = expect(1, "update", "--report", "f.json", "--", "echo", "x").out
    assert json.loads(report)["status"] == "NOT_A_DOCUMENT", report
    changes("update", "f.json", "--", "tr", "1", "2")
    file_is("f.json", '{"a": 2}\n')
    expect(1, "update", "new.toml", "--", "echo", "= 1")
    assert not os.path.exists("new.toml")


@case
def an_update_may_repair_a_document():
    make("f.toml", "a = = 1\n")
    refuses(1, "f.toml", "update", "f.toml", "--", "cat")
    quarantines("update", "f.toml", "--", "sed", "s/= =/=/")
    file_is("f.toml", "a = 1\n")
    kept = [*Path(".untorn/kept").iterdir()]
    assert len(kept) == 1 and kept[0].name.startswith("damaged-f.toml."), kept
    file_is(kept[0], "a = = 1\n")
    done = expect(4, "check")
    assert done.out.startswith("f.toml: content that did not parse when it was replaced; kept ("
                               ".untorn/kept/damaged-f.toml."), done
    found = json.loads(expect(4, "check", "--report").out.splitlines()[0])
    assert found["found"] == "damaged" and found["size"] == 8, found
    expect(4, "check", "--repair")
    done = expect(0, "check", "--repair", "--abandon", "f.toml")
    assert done.out.startswith("f.toml: given up: content that did not parse"), done
    prints("", "check")


@case
def the_check_of_an_update_can_be_chosen():
    make("f.json", "{}\n")
    changes("update", "--format", "text", "f.json", "--", "echo", "no JSON")
    file_is("f.json", "no JSON\n")
    quarantines("update", "--format", "jsonc", "f.json", "--", "echo", "{} // c")
    make("conf", "a = 1\n")
    changes("update", "conf", "--", "echo", "= 1")
    refuses(1, "conf", "update", "--format", "toml", "conf", "--", "echo", "= 2")
    make("f.json", "{}\n")
    changes("update", "--allow-empty", "f.json", "--", "true")
    file_is("f.json", "")
    expect(2, "update", "--format", "yaml", "conf", "--", "cat")


@case
def a_filter_is_checked_if_its_format_is_said():
    prints("x\n", "update", "-", "--", "echo", "x")
    prints("1\n", "update", "--format", "json", "-", "--", "echo", "1")
    done = expect(1, "update", "--format", "json", "-", "--", "echo", "x")
    assert done.out == "" and "nothing is printed" in done.err, done


if __name__ == "__main__":
    main()
