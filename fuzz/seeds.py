#!/usr/bin/python3
"""fuzz/seeds.py FOLDER   makes FOLDER/TARGET/*: what the fuzzers start from.

The documents are those of the suites, where they are there ($UNTORN_SUITES, else ../shared/suites
beside the project's root); edits, patches and keys of them come from their own keys and from a few
words. A seed is named by its content."""

import hashlib
import itertools
import json
import os
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUITES = Path(os.environ.get("UNTORN_SUITES") or ROOT.parent / "shared/suites")
LARGEST = 4096

DOCUMENTS = {
    "j": [b'{"a": 1, "b": [1, 2, {"c": null}], "d": {"e": "x"}}\n',
          b'{\n  "a": 1,\n  "b": [\n    1,\n    2\n  ],\n  "c": {}\n}\n',
          b'[1, 2, 3]', b'{"a":{"b":{"c":[[],[[]]]}},"d":-1.5e3}', b'{}', b'"x"'],
    "c": [b'{\n  // one\n  "a": 1, // end of a\n  /* b */ "b": [1, /* x */ 2,],\n}\n',
          b'// top\n{\n\t"a": {"b": 1,},\n\n\t// last\n}\n', b'[ // none\n]'],
    "t": [b'# top\na = 1\n\n# about t\n[t]\nx = 1 # one\ny = "z"\n\n[[u]]\nn = 1\n[[u]]\n[u.v]\n',
          b"a.b = 1\nz = 2\na.c.d = 3\n[s]\nk = [1, 2, # two\n  3]\n",
          b'a = {b = 1, c = {d = "}"}}\ne = [\n  1,\n  # x\n]\n',
          b'[a.b]\nx = 1\n[a.c]\n[a]\ny = 2',
          b'd = 1979-05-27T07:32:00Z\nt = 07:32\nf = inf\ns = """\nx\n"""\n'],
}
VALUES = [b"1", b"x", b"true", b'"s"', b"[1, 2]", b'{"p": {"q": [{}]}}', b"{a = 1}", b"1979-05-27"]
KEYS = [b"a", b"b[0]", b"b[+]", b"/a", b"/b/-", b"d.e", b"new.key", b"t.x", b"u[0].n", b"u[1].v",
        b'"q k".z', b"a.b.c[0]", b"s.k[-1]", b"n[0].m"]
PATCHES = ['[{"op": "add", "path": "/n", "value": {"x": [1]}}]',
           '[{"op": "remove", "path": "/a"}]',
           '[{"op": "move", "from": "/b", "path": "/z"}, {"op": "test", "path": "/z", "value": 1}]',
           '[{"op": "copy", "from": "/a", "path": "/t/c"}]',
           '[{"op": "replace", "path": "", "value": {"r": 1}}]',
           '[{"op": "add", "path": "/b/0", "value": 7}]']
MERGES = ['{"a": null, "n": {"m": 1}}', '{"t": {"x": 2, "y": null}}', '{"b": {"c": {}}}',
          '{"u": 1}']
NUMBERS = ["0", "-0", "1.0", "1e2", "100", "1e999999999999", "-1.5E-3", "0x_ff", "0xff", "0o17",
           "0b101", "1_000", "9223372036854775808", "-9223372036854775808", "4.9e-324", "inf",
           "nan", "2.2250738585072011e-308", "9007199254740993", "0.1",
           "1.7976931348623159e308", "1e-400"]


def files(folder, pattern, largest=LARGEST):
    for file in sorted((SUITES / folder).rglob(pattern)):
        if file.is_file() and file.stat().st_size <= largest:
            yield file.read_bytes()


def documents():
    """(letter, bytes), own ones and the suites'."""
    for letter, texts in DOCUMENTS.items():
        for text in texts:
            yield letter, text
            yield letter, text.replace(b"\n", b"\r\n")
    for text in files("toml-test/tests/valid", "*.toml"):
        yield "t", text
    for text in files("JSONTestSuite/test_parsing", "y_*.json"):
        yield "j", text


def edits(kinds, letters, second):
    """Each document in a format of `letters` with an edit of each kind; `second` makes the second
    byte of an input of its number."""
    turn = itertools.count()
    for letter, text in documents():
        for kind in kinds if letter in letters else "":
            number = next(turn)
            key = KEYS[number * 7 % len(KEYS)]
            syntax = "psjt"[number % 4]
            value = VALUES[number * 5 % len(VALUES)]
            head = f"{letter}{second(number)}{chr(number % 64)}{kind}{syntax}".encode()
            yield head + key + b"\0" + value + b"\0" + text


def patches():
    turn = itertools.count()
    for letter, text in documents():
        number = next(turn)
        yield f"{letter}j{PATCHES[number % len(PATCHES)]}\0".encode() + text
        yield f"{letter}m{MERGES[number % len(MERGES)]}\0".encode() + text
    for text in files("json-patch-tests", "*tests.json", 100_000):
        for record in json.loads(text):
            if "patch" in record and "doc" in record:
                patch, document = json.dumps(record["patch"]), json.dumps(record["doc"], indent=1)
                yield f"jj{patch}\0{document}".encode()


def keys():
    turn = itertools.count()
    for letter, text in documents():
        yield letter.encode() + KEYS[next(turn) % len(KEYS)] + b"\0" + text


def numbers():
    for one, other in itertools.product(NUMBERS, NUMBERS[:4]):
        yield f"{one}\0{other}".encode()


def slot_member(kind, name, new=b"", stage=b"", inlined=True):
    return struct.pack("<4B2H3Q16xQ16x4I", kind, 1, inlined, 0, len(name), len(stage), 7, 8, 9,
                       len(new), 0o644, 0, 0, 0) + name + stage


def slot_directory(path, relative=b"../x", state=b""):
    return struct.pack("<2QI4H", 11, 12, 0, len(path), len(relative), len(state), 0) + \
        path + relative + state


def slot(state, participant, members, directories, contents=b""):
    """Sizes and hashes that the target makes to fit are left out."""
    records = b"".join(members) + b"".join(directories)
    head = b"untorn set slot\n" + struct.pack("<2IQ16s4Q16x7I", 1, state, 3, b"0123456789abcdef",
                                              1, 2, 0, len(records), len(members),
                                              len(directories), participant, 0, 1, 0, 1)
    return b"s" + head.ljust(512, b"\0") + records + contents


def record(members):
    body = b"".join(struct.pack("<2BH16s16s", flags, len(name), len(directory),
                                b"b" * 16 * (flags & 1), b"a" * 16 * (flags >> 1 & 1)) +
                    name + directory for flags, name, directory in members)
    return b"runtorn file set\n" + struct.pack("<2I2Q16sQ", 1, len(members), 5, 6,
                                                b"0123456789abcdef", len(body)) + body + bytes(16)


def slots():
    """Whole ones, and ones that name what no slot and no record may."""
    for state in range(4):
        yield slot(state, 0, [slot_member(1, b"a.json", b"{}"), slot_member(2, b"b", b"new")], [],
                   b"{}new")
    yield slot(1, 1, [slot_member(3, b"gone", inlined=False)], [slot_directory(b"/d/x")])
    yield slot(2, 0, [slot_member(1, b"big", b"x", b"big.0123456789abcdef", False)],
               [slot_directory(b"/x"), slot_directory(b"/y", b"../y", b"/s")])
    for name in (b"../x", b"/etc/passwd", b"..", b".", b"", b".untorn", b"a\0b", b"x" * 256):
        yield slot(2, 0, [slot_member(1, name, b"{}")], [], b"{}")
    yield record([(3, b"a.json", b""), (2, b"b", b""), (1, b"c", b"sub"), (0, b"d", b"../f")])
    for directory in (b"..", b"../..", b"../../..", b"/", b"a/", b".", b"a//b", b"a/../b"):
        yield record([(3, b"a", directory)])


def histories():
    """Names and contents of planted entries, for each thing that a user does."""
    number, digits = "0000000300000001", "0" * 32
    for what in range(32):
        head = bytes([what])
        for name in (f"{number}.{digits}.{'0' * 16}", f"{number}.{digits}.{'0' * 16}.{digits}",
                     "f" * 16 + f".{digits}.{'0' * 16}", "..", "x", number):
            yield head + f"n{name}\0text\0d{name}\0\0y{name}\0\0l{name}\0\0".encode()
        yield head + f"v{number}\0a1\0v4\0a2\0v5.{digits}\0a3\0".encode()
        for members in (b"\xc6\x60\x61\xc9\x62\x63", b"\xc6\x60\x61\x85\x60\x64"):
            yield head + b"m" + digits.encode() + b"\0" + members + b"\0"
        planted = record([(3, b"a", b""), (2, b"x", b"../e")])
        yield head + b"r" + digits.encode() + b"\0" + planted[1:]


SCHEMAS = [b"", b'[[key]]\nname = "a"\ntype = "integer"\ndefault = 1\nmax = 9\n',
           b'env_prefix = "P"\n[[key]]\nname = "t.x"\nvalues = [1, "z"]\n[[key]]\n'
           b'name = "t"\ntype = "table"\nsecret = true\nscopes = ["global"]\n',
           b'[[key]]\nname = "s.k"\ntype = "array"\nof = "float"\nmin = 0.5\nenv = "K"\n']


def configurations():
    """A schema and three documents above each other."""
    for schema, texts in itertools.product(SCHEMAS, itertools.permutations(DOCUMENTS["t"], 3)):
        yield b"\0".join([schema, *texts])


def seeds():
    """Target to its inputs."""
    own_json = DOCUMENTS["j"] + DOCUMENTS["c"]
    return {
        "json": [*own_json, *files("JSONTestSuite/test_parsing", "*.json")],
        "toml": [*DOCUMENTS["t"], *files("toml-test/tests", "*.toml")],
        "edit": edits("suir", "jct", lambda _: "1"),
        "held": edits("suire", "jc", lambda number: chr(number * 11 % 64)),
        "patch": patches(), "keypath": keys(), "number": numbers(),
        "slot": slots(), "history": histories(), "config": configurations(),
    }


def main():
    for target, inputs in seeds().items():
        folder = Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for data in inputs:
            (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    main()
