#!/usr/bin/python3
# run: budget 30
"""Configuration files as projects have them (the folder real), and two that are generated: what
must hold for every value, every table and every array of them, and for their twins with CRLF,
with a byte order mark and without the last newline. UNTORN_LONG=1 looks at every place of all but
the generated ones; otherwise at some.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from edited import (AS_JSON, AS_TOML, DAMAGED, FORMATS, INSERT, LIBRARY, MARK,  # noqa: E402
                    RENAME, SET, UNSET, Document, Refused, at, comments, edited, places, read,
                    shape, with_element, with_name, with_value, without)
from lib import Count, outer  # noqa: E402

LONG = bool(os.environ.get("UNTORN_LONG"))
NEW = "untorn-new"
COUNT = Count()
CHOICE = random.Random(20)


def some(items, number):
    """Of a small file all, if there is time; of a large one many more."""
    items, number = list(items), number * (20 if LONG else 1)
    return items if len(items) <= number else CHOICE.sample(items, number)


# ---- the files


def lock_file(packages):
    """As cargo writes it."""
    out = ["# This file is generated.\nversion = 3\n"]
    for i in range(packages):
        out.append(f'\n[[package]]\nname = "crate-{i}"\nversion = "0.{i % 37}.{i % 11}"\n'
                   f'source = "registry+https://index.example"\n'
                   f'checksum = "{i * 2654435761:064x}"\n')
        if i % 3 == 0:
            names = "".join(f' "crate-{(i * 7 + j) % packages}",\n' for j in range(i % 5 + 1))
            out.append(f"dependencies = [\n{names}]\n")
    return "".join(out).encode()


def package_lock(packages):
    """As npm writes it."""
    entries = {"": {"name": "board", "dependencies": {"lit": "^3.1.1"}}}
    for i in range(packages):
        entry = {"version": f"{i % 9}.{i % 31}.0", "resolved": f"https://npm.example/p{i}.tgz",
                 "integrity": f"sha512-{i * 2654435761:086x}=="}
        if i % 4 == 0:
            entry |= {"dev": True, "dependencies": {f"p{i + j}": f"^{j}.0.0" for j in range(3)}}
        if i % 9 == 0:
            entry |= {"os": ["linux"], "engines": {"node": ">=18"}}
        entries[f"node_modules/p{i}"] = entry
    data = {"name": "board", "lockfileVersion": 3, "requires": True, "packages": entries}
    return (json.dumps(data, indent=2) + "\n").encode()


def files():
    """(name, text, format, how many places of each kind are looked at)"""
    for file in sorted((Path(__file__).resolve().parent / "real").iterdir()):
        yield file.name, file.read_bytes(), file.suffix[1:], 25
    yield "a lock file as of cargo", lock_file(600), "toml", 2
    yield "a lock file as of npm", package_lock(500), "json", 3


TWINS = {
    "with CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "with a byte order mark": lambda text: MARK + text,
    "without the last newline": lambda text: text.removesuffix(b"\n"),
}


# ---- looking at texts


def inserted(before, after):
    """The bytes that were inserted at one place, but for a comma in front of them; None if more
    than that has changed."""
    front, back = outer(before, after)
    if front + back == len(before):
        return after[front:len(after) - back]
    if after[front:front + 1] != b",":
        return None
    again = after[:front] + after[front + 1:]
    front, back = outer(before, again)
    return again[front:len(again) - back] if front + back == len(before) else None


def is_subsequence(some_of, whole):
    rest = iter(whole)
    return all(item in rest for item in some_of)


class Text:
    """A document: its text, its data by other means, and the lines that belong to a place."""

    def __init__(self, name, text, form):
        self.name, self.text, self.form = name, text, form
        self.data = read(text, form)
        self.places = list(places(self.data))
        self.comments = self.comments_of(text)

    def comments_of(self, text):
        words = text.decode()
        return [words[start:end] for start, end in comments(words, self.form)]

    def wrong(self, after, wanted, lost=False):
        """What is wrong with a new text, in general."""
        try:
            found = read(after, self.form)
        except ValueError as error:
            return f"does not parse: {error}\n{after.decode()}"
        ordered = not self.form.startswith("toml")
        if shape(found, ordered) != shape(wanted, ordered):
            return f"the data is another:\n{self.difference(after)}"
        kept = self.comments_of(after)
        if not (is_subsequence(kept, self.comments) if lost else kept == self.comments):
            return f"comments are lost or moved:\n{self.difference(after)}"
        return None

    def difference(self, after):
        front, back = outer(self.text, after)
        start = max(0, front - 60)
        return (f"  {self.text[start:len(self.text) - back + 60]!r}\n"
                f"  {after[start:len(after) - back + 60]!r}")


def case(sentence, document, path, problem):
    COUNT.case(f"{sentence} ({document.form})", f"{document.name} {list(path)}", problem)


def attempt(document, *edits):
    """(the new text, None) or (None, what the library said)"""
    try:
        return edited(document.text, document.form, *edits), None
    except Refused as error:
        return None, str(error)


def twins_agree(document, path, after, *edits):
    """The same edits of a twin give the twin of the result."""
    for how, twin in TWINS.items():
        try:
            found = edited(twin(document.text), document.form, *edits)
        except Refused as error:
            case(f"a twin {how} is edited alike", document, path, f"{edits}: {error}")
            continue
        wanted = twin(after)
        problem = None if found == wanted else \
            f"{edits}:\n  {cut(found, wanted)}\n  {cut(wanted, found)}"
        case(f"a twin {how} is edited alike", document, path, problem)


def cut(text, other):
    front, back = outer(text, other)
    return repr(text[max(0, front - 50):len(text) - back + 50])


# ---- the properties


def leaf_is_set(document, path):
    with Document(document.text, document.form) as parsed:
        start, end = parsed.span(path)
        spelled = document.text[start:end]
        syntax = AS_TOML if document.form == "toml" else AS_JSON
        same = parsed.edit((SET, path, spelled, syntax))
    case("a value set to its own text changes nothing", document, path,
         None if same == document.text else document.difference(same))
    for value in (b'"it is \\"new\\""', b"-42", b"true", b"[1, 2]", b'{"x": 1}'):
        edit = (SET, path, value, AS_JSON)
        after, problem = attempt(document, edit)
        if not problem:
            lost = comments(spelled.decode(), document.form) != []
            problem = document.wrong(after, with_value(document.data, path, json.loads(value)),
                                     lost)
            rest = document.text[:start], document.text[end:]
            if not problem and not (after.startswith(rest[0]) and after.endswith(rest[1])):
                problem = f"more than the value has changed:\n{document.difference(after)}"
        case("a value set to another changes its own bytes alone", document, path, problem)
        twice, _ = attempt(document, edit, edit)
        case("one edit gives what it gives among several", document, path,
             None if twice == after else f"{after!r}\n  {twice!r}")
    if after:
        twins_agree(document, path, after, edit)


def indent_of(text, where):
    start = text.rfind(b"\n", 0, where) + 1
    line = text[start:].split(b"\n", 1)[0]
    return line[:len(line) - len(line.lstrip())]


def indents(document, path):
    """How far the lines are indented where the scalars of a container are, one to a line."""
    found = set()
    inside = at(document.data, path)
    with Document(document.text, document.form) as parsed:
        for key, value in inside.items() if isinstance(inside, dict) else enumerate(inside):
            span = None if isinstance(value, (dict, list)) else parsed.span((*path, key))
            if span:
                start = document.text.rfind(b"\n", 0, span[0]) + 1
                before = document.text[start:span[0]].strip()
                if before.startswith((b'"', str(key).encode())) or before == b"":
                    found.add(indent_of(document.text, span[0]))
    return found


def misfit(document, path, after, new):
    """What is wrong with the look of a new key or element."""
    if any(line.endswith((b" ", b"\t")) for line in after.split(b"\n")):
        return f"blanks at the end of a line: {new!r}"
    where = after.find(b"untorn")
    line = after[after.rfind(b"\n", 0, where) + 1:].split(b"\n", 1)[0].strip()
    if not line.lstrip(b"\"'").startswith(b"untorn"):
        return None  # within a line of others, or below a header
    beside = indents(document, path)
    return f"{new!r} is indented otherwise" if beside and indent_of(after, where) not in beside \
        else None


def key_is_added(document, path):
    for more, value in (((NEW,), b"1"), ((NEW,), b'{"x": "y", "z": [1, {"a": 2}]}'),
                        ((NEW, "in", "deep"), b'"x"'), ((NEW,), b'[{"a": 1}, {"a": 2}]')):
        edit = (SET, (*path, *more), value, AS_JSON)
        after, problem = attempt(document, edit)
        new = b""
        if not problem:
            problem = document.wrong(
                after, with_value(document.data, (*path, *more), json.loads(value)))
            new = inserted(document.text, after)
            if not problem and new is None:
                problem = f"not only inserted:\n{document.difference(after)}"
            problem = problem or misfit(document, path, after, new)
        case("a new key only inserts", document, path, problem)
        if problem:
            return
        twins_agree(document, path, after, edit)
        again = edited(after, document.form, (UNSET, (*path, NEW)))
        headed = b"[" in new and value == b"1"  # a table that had no header got one
        case("a new key taken out again leaves no trace", document, path,
             None if again == document.text or headed
             and shape(read(again, document.form), False) == shape(document.data, False)
             else f"{document.difference(again)} after {value}")


def lines_owned(document, path):
    """The bytes of a value's lines: from the comments right above it to the end of its last line.
    Only of one that begins a line of its own."""
    with Document(document.text, document.form) as parsed:
        span = parsed.span(path)
    if not span:
        return None
    start = document.text.rfind(b"\n", 0, span[0]) + 1
    end = document.text.find(b"\n", span[1])
    end = len(document.text) if end < 0 else end + 1
    while True:
        above = document.text.rfind(b"\n", 0, max(0, start - 1)) + 1
        line = document.text[above:start].strip()
        if above == start or not line.startswith((b"#", b"//", b"/*", b"*")):
            return start, end
        start = above


def place_is_removed(document, path):
    edit = (UNSET, path)
    after, problem = attempt(document, edit)
    if not problem:
        problem = document.wrong(after, without(document.data, path), True)
        owned = lines_owned(document, path)
        if not problem and owned:
            words = document.text.decode()
            first, last = (len(document.text[:end].decode()) for end in owned)
            others = [words[start:end] for start, end in comments(words, document.form)
                      if end <= first or start >= last]
            if not is_subsequence(others, document.comments_of(after)):
                problem = f"takes the comments of others:\n{document.difference(after)}"
    case("removing takes what belongs to the place and no more", document, path, problem)
    if not problem:
        twins_agree(document, path, after, edit)


def key_is_renamed(document, path):
    for name in (NEW, "a name.with \"all\" ü"):
        edit = (RENAME, path, name.encode())
        after, problem = attempt(document, edit)
        if not problem:
            problem = document.wrong(after, with_name(document.data, path, name))
        if not problem and after.count(b"\n") != document.text.count(b"\n"):
            problem = f"lines came or went:\n{document.difference(after)}"
        case("a key that is renamed keeps its place", document, path, problem)
        if not problem:
            back = edited(after, document.form, (RENAME, (*path[:-1], name), path[-1].encode()))
            case("a key renamed there and back means the same", document, path,
                 document.wrong(back, document.data))
            twins_agree(document, path, after, edit)


def elements_are_added(document, path, array):
    for index in range(len(array) + 1):
        for value in (b'"untorn"', b'{"untorn": [1, "x"]}'):
            tables = bool(array) and all(isinstance(item, dict) for item in array)
            if tables and value == b'"untorn"':
                continue
            step = "-" if index == len(array) else index
            edit = (SET if step == "-" else INSERT, (*path, step), value, AS_JSON)
            after, problem = attempt(document, edit)
            if not problem:
                problem = document.wrong(
                    after, with_element(document.data, (*path, index), json.loads(value)))
            new = None if problem else inserted(document.text, after)
            if not problem and new is None:
                problem = f"[{index}] not only inserted:\n{document.difference(after)}"
            if not problem and value == b'"untorn"':
                problem = misfit(document, path, after, new)
            case("a new element only inserts", document, path, problem)
            if problem:
                continue
            twins_agree(document, path, after, edit)
            again = edited(after, document.form, (UNSET, (*path, index)))
            case("an element taken out again leaves no trace", document, path,
                 None if again == document.text
                 else f"[{index}] {document.difference(again)}")


def container_becomes_value(document, path):
    for value in (b'"flat"', b"[]", b'{"only": {"this": 1}}', b"[[1], [2]]"):
        edit = (SET, path, value, AS_JSON)
        after, problem = attempt(document, edit)
        if problem and isinstance(path[-1], int) and document.form == "toml" \
                and document.comments and value[:1] != b"{":
            continue  # of [[x]] every one is a table: the comments of the others would be lost
        if not problem:
            problem = document.wrong(
                after, with_value(document.data, path, json.loads(value)), True)
        case("a container is replaced by a value", document, path, problem)
        if not problem:
            twins_agree(document, path, after, edit)


def everything_is_removed(document):
    """One key of the root after the other, in one document."""
    text, data = document.text, document.data
    for key in CHOICE.sample(list(data), len(data)):
        try:
            text = edited(text, document.form, (UNSET, (key,)))
        except Refused as error:
            case("all keys are removed, one by one", document, (key,), str(error))
            return
        data = without(data, (key,))
    case("all keys are removed, one by one", document, (),
         None if read(text, document.form) == {} else repr(text))


def many_edits(document, rounds):
    """Edits in a row, each on the result of the one before."""
    text, data, form = document.text, document.data, document.form
    for number in range(rounds):
        path, value = CHOICE.choice(list(places(data))[1:])
        kind = CHOICE.randrange(4)
        if kind == 0 and len(data) > 2:
            edits, data = (UNSET, path), without(data, path)
        elif kind == 1 and isinstance(path[-1], str):
            edits, data = (RENAME, path, b"name %d" % number), with_name(data, path,
                                                                        f"name {number}")
        elif isinstance(value, dict):
            path = (*path, f"k{number}")
            edits, data = (SET, path, b'{"n": 1}'), with_value(data, path, {"n": 1})
        elif isinstance(value, list):
            path = (*path, "-")
            edits, data = (SET, path, b'{"e": 1}'), with_value(data, path, {"e": 1})
        else:
            edits, data = (SET, path, b'"s"'), with_value(data, path, "s")
        try:
            after = edited(text, form, edits)
        except Refused as error:
            case("many edits in a row give the data they should", document, path,
                 f"{edits} {error} of {text.decode()}")
            return
        step = Text(document.name, text, form)
        problem = step.wrong(after, data, True)
        case("many edits in a row give the data they should", document, path, problem)
        if problem:
            return
        text = after


# ---- damage


def damages(text):
    """Texts with one flaw each; some may still be sound."""
    for _ in range(200 if LONG else 40):
        where = CHOICE.randrange(len(text))
        what = CHOICE.choice([b"", b"=", b'"', b"]", b"[", b"{", b"}", b",", b"\x01", b"\xff",
                              b"\n", b"'", b".", b"#", b"\\", b"0", b"\r", b"- "])
        yield text[:where] + what + text[where + CHOICE.randrange(2):]
    yield text[:-len(text) // 3]


def damage_is_refused(document):
    form = "toml-1.0" if document.form == "toml" else document.form
    for text in damages(document.text):
        try:
            read(text, form)
            sound = True
        except ValueError:
            sound = False
        status = LIBRARY.untorn_document_check(text, len(text), FORMATS[form], None)
        try:
            edited(text, form, (SET, (NEW,), b"1", AS_JSON))
            found = 0
        except Refused as error:
            found = error.status
        wrong = (status == 0) != sound or found != (0 if sound else DAMAGED)
        front, _ = outer(document.text, text)
        case("a damaged text is refused, and no other", document, (),
             f"{status} {found}: {text[max(0, front - 50):front + 50]!r}" if wrong else None)


def run(*words):
    return subprocess.run(["untorn", *words], capture_output=True, check=False).returncode


def files_stay(document):
    """By the command: nothing is written where nothing changes, or where the file is damaged."""
    file = Path(f"real.{document.form}")
    leaf = next(path for path, value in document.places[1:] if isinstance(value, str))
    for sentence, text, words, wanted in (
            ("a value set to itself writes nothing", document.text,
             ["set", "-k", "--", file, *map(str, leaf), at(document.data, leaf)], 0),
            ("a damaged file is untouched", document.text[:-len(document.text) // 3] + b"\x01",
             ["set", "-k", "--", file, *map(str, leaf), "x"], 4),
            ("a damaged file is untouched", document.text[:-len(document.text) // 3] + b"\x01",
             ["unset", "-k", "--", file, *map(str, leaf)], 4)):
        file.write_bytes(text)
        os.utime(file, (1000, 1000))
        status, about = run(*words), file.stat()
        case(sentence, document, leaf,
             None if status == wanted and about.st_mtime == 1000 and file.read_bytes() == text
             else f"exit {status}")


def controls():
    """What the comparisons must notice."""
    document = Text("control", b"# c\na = 1 # d\n\n[t]\nb = [1, 2]\n", "toml")
    for after in (b"# c\na = 1\n\n[t]\nb = [1, 2]\n", b"# c\na = 1 # d\n\n[t]\nb = [1, 3]\n",
                  b"# c\na = 1.0 # d\n\n[t]\nb = [1, 2]\n", b"a = 1 # d # c\n[t]\nb = [1, 2]\n"):
        case("a wrong text is noticed", document, (),
             None if document.wrong(after, document.data) else repr(after))
    for before, after in ((b"a = 1\n", b"b = 1\n"), (b"a: 1", b"a, : 1,"), (b"ab", b"a")):
        case("what is not only inserted is noticed", document, (),
             repr(after) if inserted(before, after) is not None else None)
    for after in (b"# c\na = 1 # d\n  untorn-new = 1\n\n[t]\nb = [1, 2]\n",
                  b"# c\na = 1 # d\nuntorn-new = 1 \n\n[t]\nb = [1, 2]\n"):
        case("a line that looks otherwise is noticed", document, (),
             None if misfit(document, (), after, b"") else repr(after))
    case("an inserted line is seen", document, (),
         None if inserted(b"{a // b\n}", b"{a, // b\nc\n}") in (b"\nc", b"c\n") else "not seen")


def look(document, number):
    leaves = [path for path, value in document.places if not isinstance(value, (dict, list))]
    tables = [path for path, value in document.places if isinstance(value, dict)]
    arrays = [(path, value) for path, value in document.places if isinstance(value, list)]
    for path in some(leaves, number):
        leaf_is_set(document, path)
    for path in some(tables, number):
        key_is_added(document, path)
    for path, _ in some(document.places[1:], number):
        place_is_removed(document, path)
    for path in some([p for p, _ in document.places[1:] if isinstance(p[-1], str)], number // 2):
        key_is_renamed(document, path)
    for path, array in some([(p, a) for p, a in arrays if len(a) < 20], number // 2):
        elements_are_added(document, path, array)
    for path in some([p for p in tables if p] + [p for p, _ in arrays], number // 2):
        container_becomes_value(document, path)


def main():
    controls()
    for name, text, form, number in files():
        document = Text(name, text, form)
        look(document, number)
        everything_is_removed(document)
        if len(text) < 10000:
            for _ in range(20 if LONG else 1):
                many_edits(document, 30)
            damage_is_refused(document)
        files_stay(document)
    COUNT.finish()


if __name__ == "__main__":
    main()
