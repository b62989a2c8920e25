#!/usr/bin/python3
# run: budget 40
"""What an edit leaves alone, on every valid file of toml-test and JSONTestSuite, and on twins of
it: with CRLF, with a byte order mark, without the last newline.

A new key in a table only inserts, the data is that of before and the key, and removing it gives
back every byte; but a table that had no header of its own keeps the one it was given. A value set
to another changes its own bytes alone; set to what it is, none.
"""

import json
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import Count, folder, is_tagged, outer, tagged_difference, untorn  # noqa: E402

NEW = "untorn new key"
# Enough of the containers and leaves of a file: from both ends and between.
PLACES = 1000 if os.environ.get("UNTORN_LONG") else 3


def some(items):
    items = list(items)
    if len(items) <= PLACES:
        return items
    return [items[i * (len(items) - 1) // (PLACES - 1)] for i in range(PLACES)]


def places(value, path=()):
    """(path, value) of everything in tagged data."""
    yield path, value
    if is_tagged(value):
        return
    for key, member in value.items() if isinstance(value, dict) else enumerate(value):
        yield from places(member, (*path, key))


def words(path):
    """No NUL can be in a word of a command line."""
    return [str(part) for part in path]


def can_be_said(path):
    return all("\0" not in word for word in words(path))


def at(data, path):
    for part in path:
        data = data[part]
    return data


def replaced(data, path, value):
    """A copy with another value there."""
    if not path:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = replaced(data[path[0]], path[1:], value) if len(path) > 1 else value
    return copy


class Text:
    """A document, and the edits of it as a filter."""

    def __init__(self, text, form):
        self.text, self.form = text, form
        status, out, err = untorn("get", "-", "--format", form, "--tagged", stdin=text)
        self.data = json.loads(out) if status == 0 else None
        self.err = err

    def edit(self, verb, *more):
        status, out, err = untorn(verb, "--format", self.form, *more, stdin=self.text)
        if status != 0:
            return None, f"{more}: {err}"
        return Text(out, self.form), None


def only_inserted(before, after):
    """Whether all of `before` is there in its order, and what is new is a key and little else."""
    front, back = outer(before, after)
    middle, rest = after[front:len(after) - back], before[front:len(before) - back]
    found = iter(middle)
    return all(byte in found for byte in rest) and len(after) - len(before) < 100


def gone_again(before, again):
    """Every byte as before, but for the header that a table got which had none."""
    front, back = outer(before.text, again.text)
    rest = again.text[front:len(again.text) - back].strip()
    return front + back == len(before.text) and tagged_difference(before.data, again.data) is None \
        and (not rest or b"[" in rest and b"=" not in rest)


def wrong_insert(before, path):
    after, problem = before.edit("set", "-k", "--", "-", *words(path), NEW, "1")
    if problem:
        return problem
    one = {"type": "integer", "value": "1"}
    wanted = replaced(before.data, path, {**at(before.data, path), NEW: one})
    if after.data is None or tagged_difference(wanted, after.data):
        return f"{path}: {after.err or tagged_difference(wanted, after.data)}\n{after.text!r}"
    if not only_inserted(before.text, after.text):
        return f"{path}: not only inserted: {before.text!r} {after.text!r}"
    again, problem = after.edit("unset", "-k", "--", "-", *words(path), NEW)
    if problem or not gone_again(before, again):
        return f"{path}: not taken back: {problem or again.text!r} {after.text!r}"
    return None


def wrong_value(before, path):
    after, problem = before.edit("set", "--json", "-k", "--", "-", *words(path), '"untorn"')
    if problem:
        return problem
    wanted = replaced(before.data, path, {"type": "string", "value": "untorn"})
    if after.data is None or tagged_difference(wanted, after.data):
        return f"{path}: {after.err or tagged_difference(wanted, after.data)}\n{after.text!r}"
    front, back = outer(before.text, after.text)
    changed = after.text[front:len(after.text) - back]
    if changed not in b'"untorn"' and changed not in b"'untorn'":
        return f"{path}: {changed!r} is new: {after.text!r}"
    return None


def wrong_same(before, path):
    """A value set to what it is."""
    value = at(before.data, path)
    text = value["value"]
    if value["type"] == "string":
        spelled = ["--string"]
    elif before.form in ("json", "jsonc"):
        spelled = ["--json"]
    elif value["type"] == "float" and text.lstrip("+-").isdigit():
        spelled, text = ["--toml"], text + ".0"
    else:
        spelled = ["--toml"]
    if "\0" in text:
        return None
    after, problem = before.edit("set", *spelled, "-k", "--", "-", *words(path), text)
    return problem or (None if after.text == before.text else f"{path}: {after.text!r}")


def twins(text, form):
    """The text, and what means the same with other line ends, a mark, or no last newline."""
    yield "as it is", text
    plain = b"\r" not in text and not text.startswith(b"\xef\xbb\xbf")
    try:
        text.decode()
    except UnicodeDecodeError:
        return
    if plain and b"\n" in text:
        yield "with CRLF", text.replace(b"\n", b"\r\n")
    if plain and form != "json":
        yield "with a byte order mark", b"\xef\xbb\xbf" + text
    if text.endswith(b"\n"):
        yield "without the last newline", text[:-1].removesuffix(b"\r")


def look(count, name, text, form):
    before = Text(text, form)
    if before.data is None:
        return
    found = [(path, value) for path, value in places(before.data) if can_be_said(path)]
    for path, value in some((p, v) for p, v in found if isinstance(v, dict) and not is_tagged(v)):
        if NEW not in value:
            count.case(f"a new key only inserts, and can be taken back ({form})", name,
                       wrong_insert(before, path))
    for path, _ in some((p, v) for p, v in found if is_tagged(v) and p):
        count.case(f"a value changes its own bytes alone ({form})", name,
                   wrong_value(before, path))
        count.case(f"a value that is set to itself changes nothing ({form})", name,
                   wrong_same(before, path))


def controls(count):
    """What the comparisons must notice."""
    for before, after in ((b"a = 1\n", b"b = 1\n"), (b"a = 1\n", b"a = 1"), (b"ab", b"bbaa"),
                          (b"a", b"a" * 200)):
        count.case("what is not only inserted is noticed", after,
                   "not noticed" if only_inserted(before, after) else None)
    before = Text(b"[t]\na = 1\n", "toml")
    for after in (b"[t]\na = 1\n\nb = 2\n", b"[t]\na = 2\n", b"[t]\na = 1"):
        count.case("what is not taken back is noticed", after,
                   "not noticed" if gone_again(before, Text(after, "toml")) else None)


def main():
    count = Count()
    controls(count)
    tests = folder("toml-test") / "tests"
    for name in (tests / "files-toml-1.1.0").read_text(encoding="utf-8").split():
        if name.startswith("valid/") and name.endswith(".toml"):
            for how, text in twins((tests / name).read_bytes(), "toml"):
                look(count, f"{name} {how}", text, "toml")
    for file in sorted((folder("JSONTestSuite") / "test_parsing").glob("y_*.json")):
        if "duplicated_key" in file.name:
            continue  # which of them is meant, nobody knows: refused
        for how, text in twins(file.read_bytes(), "json"):
            look(count, f"{file.name} {how}", text, "json")
    count.finish()


if __name__ == "__main__":
    main()
