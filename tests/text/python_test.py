#!/usr/bin/python3
"""Python's json, tomllib and float are the reference, by way of the shared library: what is written
as JSON is what json.dumps makes of the same data, to the byte; what is written as TOML is what
tomllib reads as the same data; numbers are the doubles that float makes of them, to the bit."""

import ctypes
import json
import os
import random
import struct
import sys
import tomllib
from fractions import Fraction

LIBRARY = ctypes.CDLL(os.path.join(os.environ["BUILD"], "libuntorn.so"))
LIBC = ctypes.CDLL(None)
JSON, TOML = 1, 3
FLAGS = ("compact", "tabs", "sorted", "ascii", "newline", "crlf", "tight", "tagged")


class Style(ctypes.Structure):
    """struct untorn_style"""
    _fields_ = [("compact", ctypes.c_bool), ("indent", ctypes.c_uint),
                *((name, ctypes.c_bool) for name in FLAGS[1:])]


LIBRARY.untorn_document_parse.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int,
                                          ctypes.c_void_p, ctypes.c_void_p]
LIBRARY.untorn_document_root.restype = ctypes.c_void_p
LIBRARY.untorn_document_root.argtypes = [ctypes.c_void_p]
LIBRARY.untorn_document_free.argtypes = [ctypes.c_void_p]
LIBRARY.untorn_node_write.argtypes = [ctypes.c_void_p, ctypes.c_int] + 4 * [ctypes.c_void_p]
LIBRARY.untorn_node_double.restype = ctypes.c_bool
LIBRARY.untorn_node_double.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
LIBC.free.argtypes = [ctypes.c_void_p]


class Document:
    def __init__(self, text, kind=JSON):
        self.document = ctypes.c_void_p()
        data = text.encode()
        status = LIBRARY.untorn_document_parse(data, len(data), kind, ctypes.byref(self.document),
                                               None)
        if status != 0:
            raise AssertionError(f"{text!r} does not parse: {status}")
        self.root = LIBRARY.untorn_document_root(self.document)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        LIBRARY.untorn_document_free(self.document)

    def write(self, kind, **style):
        """The bytes, or None if the format cannot hold them."""
        text, size = ctypes.c_void_p(), ctypes.c_size_t()
        status = LIBRARY.untorn_node_write(self.root, kind, ctypes.byref(Style(**style)),
                                           ctypes.byref(text), ctypes.byref(size), None)
        data = ctypes.string_at(text, size.value) if status == 0 else None
        LIBC.free(text)
        return data

    def double(self):
        value = ctypes.c_double()
        return value.value if LIBRARY.untorn_node_double(self.root, ctypes.byref(value)) else None


def require(condition, what):
    if not condition:
        raise AssertionError(what)


RANGES = ((0, 0x7f), (0x20, 0x7e), (0x80, 0x7ff), (0x800, 0xd7ff), (0xe000, 0xffff),
          (0x10000, 0x10ffff))


def some_text(source):
    if source.random() < 0.4:
        return "".join(source.choice("abc_-1") for _ in range(source.randrange(5)))
    return "".join(source.choice("'\"\\\n" + chr(source.randint(*source.choice(RANGES))))
                   for _ in range(source.randrange(1, 6)))


def some_scalar(source, toml):
    return source.choice([
        True, False, 0, source.randint(-2**63, 2**63 - 1), some_text(source), some_text(source),
        source.uniform(-1, 1) * 10.0 ** source.randint(-20, 20),
        "" if toml else None, "" if toml else source.randint(-10**30, 10**30)])


def some_data(source, toml, depth):
    shape = source.random() if depth > 0 else 0
    if shape < 0.35:
        return some_scalar(source, toml)
    if shape < 0.6:
        return [some_data(source, toml, depth - 1) for _ in range(source.randrange(4))]
    if shape < 0.7:
        return [some_object(source, toml, depth - 2) for _ in range(source.randrange(3))]
    return some_object(source, toml, depth - 1)


def some_object(source, toml, depth):
    return {some_text(source): some_data(source, toml, depth) for _ in range(source.randrange(5))}


LAYOUTS = (({"compact": True}, {}),
           ({"compact": True, "tight": True}, {"separators": (",", ":")}),
           ({}, {"indent": 2}),
           ({"indent": 7}, {"indent": 7}),
           ({"tabs": True}, {"indent": "\t"}))


def check_json(data):
    with Document(json.dumps(data)) as document:
        for style, words in LAYOUTS:
            for number in range(4):
                ascii_only, ordered = bool(number & 1), bool(number & 2)
                wanted = json.dumps(data, ensure_ascii=ascii_only, sort_keys=ordered, **words)
                found = document.write(JSON, ascii=ascii_only, sorted=ordered, **style)
                require(found == wanted.encode(), f"{found} is not {wanted.encode()}")
        lines = (json.dumps(data, ensure_ascii=False, indent=2) + "\n").replace("\n", "\r\n")
        require(document.write(JSON, crlf=True, newline=True) == lines.encode(), f"crlf: {data}")


def check_toml(data):
    with Document(json.dumps(data)) as document:
        for style in ({}, {"sorted": True}, {"ascii": True}, {"crlf": True}):
            text = document.write(TOML, **style)
            require(text is not None, f"{data} has no TOML")
            require(tomllib.loads(text.decode()) == data, f"{text} is not {data}")


def bits(value):
    return struct.pack("<d", value)


def check_double(text):
    with Document(text) as document:
        found, wanted = document.double(), float(text)
        require(found is not None and bits(found) == bits(wanted), f"{text} is read as {found}")


def around_the_middle(source):
    """Texts of a number in the middle between two doubles, a little below and a little above."""
    low = source.getrandbits(63) % 0x7fe0000000000000
    if source.random() < 0.2:
        low = source.getrandbits(52)
    values = [struct.unpack("<d", struct.pack("<Q", low + i))[0] for i in (0, 1)]
    middle = sum(map(Fraction, values)) / 2
    power = middle.denominator.bit_length() - 1
    digits = middle.numerator * 5**power
    filler = source.randrange(900)
    return (f"{digits}e-{power}", f"{digits}.{'0' * filler}1e-{power}",
            f"{digits - 1}.{'9' * (filler + 1)}e-{power}")


def json_is_written_as_python_writes_it():
    source = random.Random(1)
    for data in (None, "", {}, [], [[]], [{}], {"": ""}, {"b": 1, "a": 2}, [1e16, 1e-5, -0.0]):
        check_json(data)
    for _ in range(400):
        check_json(some_data(source, False, 6))


def toml_is_written_as_tomllib_reads_it():
    source = random.Random(2)
    for _ in range(600):
        check_toml(some_object(source, True, 6))


def what_toml_cannot_hold_is_refused():
    for data in ({"a": None}, {"a": 2**63}, {"a": [{"b": {"c": [None]}}]}, [], 1):
        with Document(json.dumps(data)) as document:
            require(document.write(TOML) is None, f"{data} was written")


def doubles_are_read_as_python_reads_them():
    source = random.Random(3)
    for _ in range(2000):
        value = struct.unpack("<d", struct.pack("<Q", source.getrandbits(64)))[0]
        if value == value and abs(value) != float("inf"):
            check_double(repr(value))
            check_double(f"{value:.25e}")
    for _ in range(300):
        for text in around_the_middle(source):
            check_double(text)


def a_difference_is_noticed():
    """The negative control."""
    with Document('{"a": 1}') as document:
        require(document.write(JSON, compact=True) != b'{"a":1}', "the blank does not count")
        require(document.write(TOML) != b"a = 2\n", "the value does not count")
    with Document("9007199254740993") as document:
        require(document.double() != 9007199254740994.0, "the last bit does not count")


def main():
    failed = 0
    tests = (json_is_written_as_python_writes_it, toml_is_written_as_tomllib_reads_it,
             what_toml_cannot_hold_is_refused, doubles_are_read_as_python_reads_them,
             a_difference_is_noticed)
    for test in tests:
        try:
            test()
            print(f"ok   {test.__name__}")
        except AssertionError as error:
            failed += 1
            print(f"FAIL {test.__name__} {error}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
