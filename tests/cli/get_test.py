#!/usr/bin/python3
"""untorn get."""

import json
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, expect, main, make, prints, refuses  # noqa: E402

TOML = """# about
title = "TOML \\"1\\""
hex = 0xff
big = 1_000
half = 0.5
no = -inf
yes = true
day = 1979-05-27
at = 1979-05-27T07:32:00Z
list = [1, 2, 3]
[a."b.c"]
d = ''
[[points]]
x = 1
[[points]]
x = 2
"""


@case
def a_scalar_is_printed_as_it_is():
    make("f.toml", TOML)
    prints('TOML "1"\n', "get", "f.toml", "title")
    prints("0xff\n", "get", "f.toml", "hex")
    prints("1_000\n", "get", "f.toml", "big")
    prints("true\n", "get", "f.toml", "yes")
    prints("1979-05-27\n", "get", "f.toml", "day")
    prints("-inf\n", "get", "f.toml", "no")
    prints("\n", "get", "f.toml", 'a."b.c".d')


@case
def a_null_is_printed_as_null():
    make("f.json", '{"a": null}')
    prints("null\n", "get", "f.json", "a")


@case
def a_string_may_hold_any_character():
    make("f.json", '{"a": "\\u0000\\n\\u00e9\\ud83d\\ude00"}')
    prints("\0\né\U0001f600\n", "get", "f.json", "a")


@case
def a_container_is_json_with_two_blanks():
    make("f.toml", TOML)
    prints('{\n  "b.c": {\n    "d": ""\n  }\n}\n', "get", "f.toml", "a")
    prints("[\n  1,\n  2,\n  3\n]\n", "get", "f.toml", "list")


@case
def without_a_key_it_is_the_whole_document():
    make("f.toml", TOML)
    whole = json.loads(expect(0, "get", "f.toml").out)
    assert whole["hex"] == 255 and whole["points"] == [{"x": 1}, {"x": 2}], whole
    assert whole["no"] == "-inf" and whole["at"] == "1979-05-27T07:32:00Z", whole
    assert list(whole) == ["title", "hex", "big", "half", "no", "yes", "day", "at", "list", "a",
                           "points"], whole
    make("s.json", "5")
    prints("5\n", "get", "s.json")
    make("e.toml", "")
    prints("{}\n", "get", "e.toml")


@case
def json_is_always_json():
    make("f.toml", TOML)
    prints('"TOML \\"1\\""\n', "get", "--json", "f.toml", "title")
    prints("255\n", "get", "--json", "f.toml", "hex")
    prints("1000\n", "get", "--json", "f.toml", "big")
    prints('"-inf"\n', "get", "--json", "f.toml", "no")
    prints('"1979-05-27"\n', "get", "--json", "f.toml", "day")


@case
def tagged_json_names_the_types():
    make("f.toml", TOML)
    tagged = json.loads(expect(0, "get", "--tagged", "f.toml").out)
    assert tagged["hex"] == {"type": "integer", "value": "255"}, tagged
    assert tagged["day"] == {"type": "date-local", "value": "1979-05-27"}, tagged
    assert tagged["list"][0] == {"type": "integer", "value": "1"}, tagged
    one = json.loads(expect(0, "get", "--tagged", "f.toml", "yes").out)
    assert one == {"type": "bool", "value": "true"}, one


@case
def elements_are_counted_from_both_ends():
    make("f.toml", TOML)
    prints("1\n", "get", "f.toml", "list[0]")
    prints("3\n", "get", "f.toml", "list[-1]")
    prints("2\n", "get", "f.toml", "points[1].x")
    expect(3, "get", "f.toml", "list[3]")
    expect(3, "get", "f.toml", "list[-4]")


@case
def a_pointer_and_raw_segments_name_the_same():
    make("f.json", '{"a/b": {"~": [10, 20]}, "": 7, "x.y": 8}')
    prints("20\n", "get", "f.json", "/a~1b/~0/1")
    prints("20\n", "get", "f.json", "-k", "a/b", "~", "1")
    prints("20\n", "get", "-k", "f.json", "a/b", "~", "1")
    prints("7\n", "get", "f.json", "-k", "")
    prints("7\n", "get", "f.json", "/")
    prints("8\n", "get", "f.json", "--segments", "x.y")
    prints("8\n", "get", "f.json", '"x.y"')


@case
def what_is_missing_ends_with_3():
    make("f.toml", TOML)
    done = refuses(3, "f.toml", "get", "f.toml", "nothing")
    assert done.err.startswith("untorn: f.toml: no such key"), done
    assert done.err.count("\n") == 1 and "nothing" in done.err, done
    done = expect(3, "get", "none.toml", "a")
    assert done.err.startswith("untorn: none.toml: no such file"), done


@case
def a_default_is_printed_for_what_is_missing():
    make("f.toml", TOML)
    prints("80\n", "get", "f.toml", "nothing", "--default", "80")
    prints("\n", "get", "f.toml", "a.nothing", "--default", "")
    prints("-x\n", "get", "none.toml", "a", "--default", "-x")
    prints("0xff\n", "get", "f.toml", "hex", "--default", "80")
    make("bad.toml", "a = \n")
    expect(4, "get", "bad.toml", "nothing", "--default", "80")


@case
def a_damaged_document_is_shown_with_its_place():
    make("bad.toml", 'a = 1\nport = = 2\nz = 3\n')
    done = refuses(4, "bad.toml", "get", "bad.toml", "a")
    first, line, caret = done.err.splitlines()
    assert first.startswith("untorn: bad.toml: ") and "line 2, column 8" in first, done
    assert line.endswith("port = = 2") and caret.strip() == "^", done
    assert line[caret.index("^")] == "=" and caret.index("^") > line.index("="), done


@case
def standard_input_needs_its_format():
    prints("1\n", "get", "-", "a", "--format", "json", stdin='{"a": 1}')
    prints("1\n", "get", "--format=toml", "-", "a", stdin="a = 1")
    done = expect(2, "get", "-", "a", stdin='{"a": 1}')
    assert "--format" in done.err, done
    done = expect(4, "get", "--format", "json", "-", stdin="[1,")
    assert done.err.startswith("untorn: standard input: "), done


@case
def the_format_is_what_the_name_or_the_option_says():
    make("conf", "a = 1\n")
    done = refuses(2, "conf", "get", "conf", "a")
    assert "--format" in done.err and "untorn update" in done.err, done
    prints("1\n", "get", "conf", "a", "--format", "toml")
    make("c.json", '{"a": 1, // one\n}')
    expect(4, "get", "c.json", "a")
    prints("1\n", "get", "c.json", "a", "--format", "jsonc")
    make("new.toml", "a = { b = 1,\n }\n")
    prints("1\n", "get", "new.toml", "a.b")
    expect(4, "get", "--format", "toml-1.0", "new.toml", "a.b")
    done = expect(2, "get", "--format", "yaml", "new.toml", "a.b")
    assert "json, jsonc, toml or toml-1.0, not 'yaml'" in done.err, done
    expect(2, "get", "--format", "text", "new.toml", "a.b")


@case
def words_that_make_no_key_are_usage_errors():
    make("f.toml", TOML)
    done = expect(2, "get", "f.toml", "")
    assert "empty KEY" in done.err, done
    expect(2, "get", "f.toml", "a", "b")
    expect(2, "get", "f.toml", "-k")
    expect(2, "get", "--json", "--tagged", "f.toml", "a")
    for key in ("a..b", "list[", "list[x]", '"a'):
        done = expect(2, "get", "f.toml", key)
        assert done.err.count("\n") == 1, done
    expect(2, "get", "", "a")


@case
def nothing_is_created():
    make("f.toml", TOML)
    prints("0xff\n", "get", "f.toml", "hex")
    expect(3, "get", "none.toml", "hex")
    assert os.listdir(".") == ["f.toml"], os.listdir(".")


if __name__ == "__main__":
    main()
