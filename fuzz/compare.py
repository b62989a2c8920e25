#!/usr/bin/python3
"""Mutated documents, read by the library and by others: all take them or none, and as the same
data. The references are Python's json, strict, and jansson for JSON, tomllib for TOML 1.0.

    fuzz/compare.py --library libuntorn.so [--seconds N | --count N] [--seed N] [--keep FOLDER]
    fuzz/compare.py --library libuntorn.so FILE...

The second way looks again at documents that differed: FOLDER/compare-NAME.json or .toml. Ends with
`N documents, N differences`, and with status 1 if there are any. Where jansson is not installed a
line says so, and JSON is compared with Python alone.

Where two may differ, because the reference is not to the letter or has other limits: a byte order
mark (skipped here), TOML's integers beyond 64 bits (refused here), the year 0000 and the second 60
(Python has none), the ends of lines within TOML's strings where some have two bytes (tomllib makes
them all \\n), and nesting beyond what either takes.

And jansson only: it refuses integers beyond 64 bits and reals beyond the largest double, a NUL in a
key, and an escaped half of a surrogate pair; of several members with one key it keeps the last, in
the place of the first; it does not see a NUL byte right behind a number, true, false or null."""

import argparse
import ctypes
import datetime
import hashlib
import json
import math
import random
import re
import sys
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import jansson  # noqa: E402
import seeds  # noqa: E402

JSON, TOML_1_0 = 1, 4
MARK = b"\xef\xbb\xbf"
DEEPEST = 60


# ---- the library


class Style(ctypes.Structure):
    """struct untorn_style"""
    _fields_ = [("compact", ctypes.c_bool), ("indent", ctypes.c_uint),
                *((name, ctypes.c_bool) for name in
                  ("tabs", "sorted", "ascii", "newline", "crlf", "tight", "tagged"))]


class Library:
    def __init__(self, path):
        pointer = ctypes.c_void_p
        self.untorn = ctypes.CDLL(path)
        self.untorn.untorn_document_parse.argtypes = [ctypes.c_char_p, ctypes.c_size_t,
                                                      ctypes.c_int, pointer, pointer]
        self.untorn.untorn_document_root.restype = pointer
        self.untorn.untorn_document_root.argtypes = [pointer]
        self.untorn.untorn_document_free.argtypes = [pointer]
        self.untorn.untorn_node_write.argtypes = [pointer, ctypes.c_int] + 4 * [pointer]
        self.free = ctypes.CDLL(None).free
        self.free.argtypes = [pointer]

    def read(self, data, form, **style):
        """What it reads, written as JSON; None if it does not take it."""
        document, text, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t()
        if self.untorn.untorn_document_parse(data, len(data), form, ctypes.byref(document), None):
            return None
        status = self.untorn.untorn_node_write(
            self.untorn.untorn_document_root(document), JSON, ctypes.byref(Style(**style)),
            ctypes.byref(text), ctypes.byref(size), None)
        written = ctypes.string_at(text, size.value) if status == 0 else b"not written"
        self.free(text)
        self.untorn.untorn_document_free(document)
        return written


class Sides(NamedTuple):
    """Who reads a document beside Python."""
    library: Library
    jansson: jansson.Jansson | None


# ---- JSON


def refuse(word):
    raise ValueError(f"{word} is no JSON")


def as_pairs(pairs):
    return ("object", tuple(pairs))


def a_float(text):
    """Beyond the largest double the library keeps the spelling: any two of a sign are alike."""
    return ("float", repr(float(text)))


def an_integer(text):
    """To Python 1 is true."""
    return ("integer", int(text))


def json_data(text, an_object=as_pairs):
    return json.loads(text, parse_constant=refuse, parse_float=a_float, parse_int=an_integer,
                      object_pairs_hook=an_object)


def python_difference(data, found):
    try:
        wanted = json_data(data.decode())
    except RecursionError:
        return None
    except ValueError:
        wanted = refuse
    if found is None or wanted is refuse:
        return None if (found is None) == (wanted is refuse) else \
            f"{'refused' if found is None else 'accepted'}, Python does not"
    try:
        same = json_data(found.decode()) == wanted
    except ValueError:
        same = False
    return None if same else f"read as {found!r}, not as {wanted!r}"


# ---- JSON, as jansson reads it


def as_last(pairs):
    return ("object", tuple(dict(pairs).items()))


def parts(value):
    """It, and what is in it: keys too."""
    yield value
    if isinstance(value, list):
        for item in value:
            yield from parts(item)
    elif isinstance(value, tuple) and value[0] == "object":
        for key, item in value[1]:
            yield key
            yield from parts(item)


def overflows(part):
    is_integer = isinstance(part, tuple) and part[0] == "integer"
    return part in (("float", "inf"), ("float", "-inf")) or is_integer and has_large(part[1])


def has_half_pair(part):
    return isinstance(part, str) and any("\ud800" <= letter <= "\udfff" for letter in part)


def has_nul_in_key(part):
    return isinstance(part, tuple) and part[0] == "object" and \
        any("\0" in key for key, _ in part[1])


# The code of a refusal, and what must be in the document for it to be known.
REFUSED = {jansson.NUMERIC_OVERFLOW: overflows, jansson.INVALID_SYNTAX: has_half_pair,
           jansson.NUL_IN_KEY: has_nul_in_key}


def is_refused_by_limit(found, code):
    return code in REFUSED and any(map(REFUSED[code], parts(json_data(found.decode()))))


def without_nul(data):
    """As jansson sees it, which loses the byte that ends a number or a word if it is a NUL."""
    return re.sub(rb"(?<=[0-9a-z])\0", b"", data)


def jansson_difference(sides, data, found):
    wanted, code = sides.jansson.read(data)
    if found is None and wanted is not None and b"\0" in data:
        found = sides.library.read(without_nul(data), JSON, ascii=True)
    if found is None:
        return None if wanted is None else "refused, jansson does not"
    if wanted is None:
        known = is_refused_by_limit(found, code)
        return None if known else f"accepted, jansson does not: {code}"
    same = json_data(found.decode(), as_last) == json_data(wanted.decode(), as_last)
    return None if same else f"read as {found!r}, by jansson as {wanted!r}"


def json_difference(sides, data):
    found = sides.library.read(data, JSON, ascii=True)
    problem = python_difference(data, found)
    return problem or (jansson_difference(sides, data, found) if sides.jansson else None)


# ---- TOML


def tagged(value):
    """As untorn_style.tagged writes it."""
    if isinstance(value, dict):
        return {key: tagged(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tagged(item) for item in value]
    for kind, name in ((bool, "bool"), (int, "integer"), (float, "float"), (str, "string"),
                       (datetime.date, "date-local"), (datetime.time, "time-local")):
        if isinstance(value, datetime.datetime):
            name = "datetime-local" if value.tzinfo is None else "datetime"
        elif not isinstance(value, kind):
            continue
        return {"type": name, "value": scalar(name, value)}
    raise TypeError(value)


def scalar(name, value):
    if name == "bool":
        return str(value).lower()
    if name == "float":
        return "nan" if math.isnan(value) else repr(value)
    if name.startswith(("date", "time")):
        return instant(value.isoformat())
    return str(value)


def instant(text):
    """Microseconds, six digits of them, and the offset in numbers."""
    text = text.upper().replace(" ", "T").replace("Z", "+00:00").replace("-00:00", "+00:00")
    text = re.sub(r"(\.\d{6})\d+", r"\1", text)
    return re.sub(r"\.(\d+)", lambda m: "." + m[1].ljust(6, "0"), text).replace(".000000", "")


def normal(value):
    """What the library wrote, in the same form."""
    if isinstance(value, list):
        return [normal(item) for item in value]
    if value.keys() == {"type", "value"} and isinstance(value["type"], str):
        name, text = value["type"], value["value"]
        if name == "float":
            text = scalar(name, float(text.replace("_", "")))
        elif name.startswith(("date", "time")):
            text = instant(text)
        return {"type": name, "value": text}
    return {key: normal(item) for key, item in value.items()}


def with_plain_ends(value):
    """Every end of a line in it as \\n: a \\r before it may be an escaped one or half of it."""
    if isinstance(value, dict):
        return {with_plain_ends(key): with_plain_ends(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_plain_ends(item) for item in value]
    return re.sub("\r+\n", "\n", value)


def has_large(value):
    """An integer that 64 bits do not hold."""
    if isinstance(value, (dict, list)):
        return any(map(has_large, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not -2**63 <= value < 2**63


NOT_PYTHONS = re.compile(r"\b0000-\d\d-\d\d|:60(?!\d)")


def toml_difference(sides, data):
    text = None
    try:
        text = data.decode()
        wanted = tomllib.loads(text)
    except RecursionError:
        return None
    except ValueError:
        wanted = refuse
    found = sides.library.read(data, TOML_1_0, tagged=True)
    if found is None:
        known = wanted is refuse or has_large(wanted)
        return None if known else "refused, the reference does not"
    if wanted is refuse:
        known = text is not None and NOT_PYTHONS.search(text)
        return None if known else "accepted, the reference does not"
    ours, theirs = normal(json.loads(found)), tagged(wanted)
    if b"\r\n" in data:
        ours, theirs = with_plain_ends(ours), with_plain_ends(theirs)
    return None if ours == theirs else f"read as {found!r}, not as {theirs!r}"


def difference(sides, letter, data):
    """None, or in words."""
    if data.startswith(MARK) or max(data.count(b"["), data.count(b"{"), data.count(b".")) > DEEPEST:
        return None
    return (json_difference if letter == "j" else toml_difference)(sides, data)


# ---- mutations

BITS = {
    "j": [b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b'"a"', b"null", b"true", b"-", b"0",
          b"1e5", b"1E+2", b"0.5", b".", b"\\u00e9", b"\\ud83d\\ude00", b"\\ud800", b"\\n", b"\\/",
          b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\xc0\x80", b"\xff", b"\x00", b"\x1f",
          b"\x7f", b" ", b"\n", b"\r", b"\t", b"\x0b", b"//", b"/**/", b"NaN", b'"":', b"00",
          b"9223372036854775807", b"-9223372036854775808", b"1.7976931348623157e308", b"5e-324",
          b"-0.0", b"0.1", b"\\u0000", b"\\uDBFF\\uDFFF", b'"a":1,'],
    "t": [b"[", b"]", b"[[", b"]]", b"{", b"}", b",", b"=", b".", b'"', b"'", b'"""', b"'''", b"#",
          b"\\", b"\\u00e9", b"\\U0001f600", b"\\ud800", b"\\e", b"\\x41", b"\\\n", b"\n", b"\r\n",
          b"\r", b"\t", b" ", b"a", b"a.b", b"true", b"inf", b"-nan", b"0x1F", b"0o7", b"0b1", b"_",
          b"1_000", b"+1", b"-0", b"0.5", b"1e5", b"1979-05-27", b"T07:32:00", b"07:32:00.5", b"Z",
          b"-07:00", b"[a]\n", b"[[a]]\n", b"[a.b]\n", b"a = 1\n", b"a.b = 1\n", b"a = {}\n",
          b"a = []\n", b"\x00", b"\x7f", b"\xc3\xa9", b"\xed\xa0\x80", b"\xff"],
}


def mutate(source, letter, data, others):
    for _ in range(source.choice((1, 1, 2, 3, 6))):
        at = source.randrange(len(data) + 1)
        end = min(len(data), at + source.choice((0, 1, 1, 2, 5, 20)))
        shape = source.random()
        if shape < 0.55:
            new = source.choice(BITS[letter])
        elif shape < 0.7:
            new = b""
        elif shape < 0.8:
            new = bytes([source.randrange(256)])
        elif shape < 0.9:
            new = data[at:end] * 2
        else:
            other = source.choice(others)
            start = source.randrange(len(other) + 1)
            new = other[start:start + source.randrange(40)]
        data = data[:at] + new + data[end:]
    return data


def documents():
    """Letter to documents that are good, or nearly."""
    found = {"j": list(seeds.DOCUMENTS["j"]), "t": list(seeds.DOCUMENTS["t"])}
    found["j"] += seeds.files("JSONTestSuite/test_parsing", "[yi]_*.json")
    found["t"] += seeds.files("toml-test/tests/valid", "*.toml")
    return {letter: [data for data in texts if len(data) < 1500]
            for letter, texts in found.items()}


def smallest(sides, letter, data):
    """Bytes are left out as long as it still differs in some way."""
    size = max(1, len(data) // 2)
    while size >= 1:
        at = 0
        while at < len(data):
            less = data[:at] + data[at + size:]
            if difference(sides, letter, less):
                data = less
            else:
                at += size
        size //= 2
    return data


def search(sides, words):
    source, all_documents = random.Random(words.seed), documents()
    end = time.monotonic() + words.seconds if words.seconds else None
    count, seen = 0, set()
    while (time.monotonic() < end) if end else (count < words.count):
        letter = "jt"[count % 2]
        others = all_documents[letter]
        data = mutate(source, letter, source.choice(others), others)
        count += 1
        if not difference(sides, letter, data):
            continue
        data = smallest(sides, letter, data)
        if data not in seen:
            seen.add(data)
            report(sides, letter, data, words.keep)
    return count, len(seen)


SUFFIXES = {"j": "json", "t": "toml"}


def report(sides, letter, data, folder):
    print(f"{SUFFIXES[letter]} {data!r}: {difference(sides, letter, data)}", flush=True)
    if folder:
        name = hashlib.sha1(data).hexdigest()[:16]
        (Path(folder) / f"compare-{name}.{SUFFIXES[letter]}").write_bytes(data)


def look_again(sides, files):
    differences = 0
    for file in files:
        letter, data = "t" if file.endswith(".toml") else "j", Path(file).read_bytes()
        if difference(sides, letter, data):
            differences += 1
            report(sides, letter, data, None)
    return len(files), differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--keep")
    parser.add_argument("files", nargs="*")
    words = parser.parse_args()
    sys.set_int_max_str_digits(0)
    sides = Sides(Library(words.library), jansson.installed())
    if not sides.jansson:
        print(f"without {jansson.NAME}, which is not installed")
    count, differences = look_again(sides, words.files) if words.files \
        else search(sides, words)
    print(f"{count} documents, {differences} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
