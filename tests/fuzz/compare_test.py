#!/usr/bin/python3
# run: budget 20
"""A fixed share of fuzz/compare.py: mutated documents are read as Python and jansson read them."""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(os.environ["TESTS"]).parent / "fuzz"))

import compare  # noqa: E402
import jansson  # noqa: E402
from lib import Count  # noqa: E402

COUNT = 100_000 if os.environ.get("UNTORN_LONG") else 6000
MISSING = f"{jansson.NAME} is not installed"


class Words:
    """What the command line says otherwise."""
    seconds, count, seed, keep = None, COUNT, 1, None


class Deaf(compare.Library):
    """Reads everything as if it were empty, or takes nothing."""

    def __init__(self, answer):
        self.answer = answer

    def read(self, data, form, **style):
        return self.answer


class Contrary(jansson.Jansson):
    """Has one answer to everything."""

    def __init__(self, *answer):
        self.answer = answer

    def read(self, data):
        return self.answer


def mutated_documents_are_read_alike(sides):
    count, differences = compare.search(sides, Words)
    return None if (count, differences) == (COUNT, 0) else f"{differences} of {count} differ"


def some_are_taken_and_some_are_not(letter, takes):
    """Else the comparison would compare nothing."""
    source, texts = compare.random.Random(2), compare.documents()[letter]
    taken = sum(takes(compare.mutate(source, letter, text, texts)) is not None
                for text in texts for _ in range(40))
    share = taken / (40 * len(texts))
    return None if 0.02 < share < 0.9 else f"{share:.0%} of {letter}"


def a_library_that_reads_otherwise_is_caught():
    """The negative control."""
    others = {"j": (b'{"a": true}', b'{"a": 1.0}'),
              "t": (b'{"a": {"type": "float", "value": "1"}}',)}
    for letter, data in (("j", b'{"a": 1}'), ("t", b"a = 1\n")):
        for answer in (None, b"{}", *others[letter]):
            if not compare.difference(compare.Sides(Deaf(answer), None), letter, data):
                return f"{answer} for {data}"
        if not compare.difference(compare.Sides(Deaf(b"{}"), None), letter, b"]"):
            return "what is wrong may be taken"
    return None


OTHERWISE = (  # of a document what jansson reads instead, or why it refuses it
    (b'{"a": 1}', b"{}", None), (b'{"a": 1}', b'{"a": 2}', None), (b"[1]", b"[1.0]", None),
    (b'{"a": 1, "b": 2}', b'{"b": 2, "a": 1}', None), (b'{"a": 1, "a": 2}', b'{"a": 1}', None),
    (b'["x"]', b'["y"]', None), (b"[1]", b"[true]", None), (b"[false]", b"[0]", None),
    (b"[0.1]", b"[0.10000000000000002]", None), (b"]", b"[]", None),
    (b"[1\0", b"[1]", None), (b"[1\0]", b"[2]", None), (b"{}\0", b"{}", None),
    (b"1\0\0", b"1", None),
    *((data, None, code) for code in (jansson.NUMERIC_OVERFLOW, jansson.INVALID_SYNTAX,
                                      jansson.NUL_IN_KEY, 0)
      for data in (b'{"a": [1, true, null, "\\u0000"]}', b"9223372036854775807", b"1.7e308",
                   b'"\\ud83d\\ude00"')))


def a_jansson_that_reads_otherwise_is_caught(library):
    """The negative control of the second one: what is known to differ excuses nothing else."""
    missed = [f"{data} as {text} {code}" for data, text, code in OTHERWISE
              if not compare.difference(compare.Sides(library, Contrary(text, code)), "j", data)]
    return ", ".join(missed)


KNOWN = (b"[9223372036854775808]", b'{"a": -9223372036854775809}', b"[1e999]", b"-1e999",
         b'{"a\\u0000": 1}', b'[{"a": {"\\u0000": 1}}]', b'["\\ud800"]', b'{"\\udc00": 1}',
         b'{"a": 1, "b": 2, "a": 3}', b"[1\0]", b"1.5\0", b"[true\0, null\0]")


def what_is_known_to_differ_does_not(library, jansson_there):
    """And jansson does read it otherwise, so that each is worth its place."""
    sides = compare.Sides(library, jansson_there)
    wrong = [f"{data}: {problem}" for data in KNOWN
             if (problem := compare.difference(sides, "j", data))]
    wrong += [f"{data} is read alike" for data in KNOWN
              if jansson_there.read(data)[0] == library.read(data, compare.JSON, compact=True)]
    return ", ".join(wrong)


ENDS = (b'#\n0="""\\r\r\n"""', b'a = """x\r\ny"""\r\n', b"a = '''\r\n\r\n'''")


def ends_of_lines_in_strings_may_differ(library):
    """Where the document has some of two bytes, and nowhere else."""
    sides = compare.Sides(library, None)
    wrong = [f"{data}: {problem}" for data in ENDS
             if (problem := compare.difference(sides, "t", data))]
    other = compare.Sides(Deaf(b'{"a": {"type": "string", "value": "\\n"}}'), None)
    if not compare.difference(other, "t", b'a = "\\r\\n"\n'):
        wrong.append("also elsewhere")
    return ", ".join(wrong)


def what_differs_is_made_small():
    found = compare.smallest(compare.Sides(Deaf(None), None), "t",
                             b'# x\n[t]\na = 1\nb = ["x", 2]\n')
    return None if found == b"" else f"{found}"


def main():
    count = Count()
    library = compare.Library(os.path.join(os.environ["BUILD"], "libuntorn.so"))
    second = jansson.installed()
    count.case("mutated documents are read alike",
               mutated_documents_are_read_alike(compare.Sides(library, second)))
    for letter, form in (("j", compare.JSON), ("t", compare.TOML_1_0)):
        count.case(f"some are taken and some are not: {compare.SUFFIXES[letter]}",
                   some_are_taken_and_some_are_not(letter, lambda data: library.read(data, form)))
    count.case("a library that reads otherwise is caught",
               a_library_that_reads_otherwise_is_caught())
    count.case("a jansson that reads otherwise is caught",
               a_jansson_that_reads_otherwise_is_caught(library))
    count.case("ends of lines in strings may differ", ends_of_lines_in_strings_may_differ(library))
    count.case("what differs is made small", what_differs_is_made_small())
    if second:
        count.case("jansson takes some and some not",
                   some_are_taken_and_some_are_not("j", lambda data: second.read(data)[0]))
        count.case("what is known to differ does not",
                   what_is_known_to_differ_does_not(library, second))
    else:
        for sentence in ("mutated documents are read as jansson reads them",
                         "jansson takes some and some not", "what is known to differ does not"):
            count.skip(sentence, MISSING)
    count.finish()


main()
