#!/usr/bin/python3
# run: budget 20
"""A fixed share of fuzz/compare.py: mutated documents are read as Python reads them."""

import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(os.environ["TESTS"]).parent / "fuzz"))

import compare  # noqa: E402

COUNT = 100_000 if os.environ.get("UNTORN_LONG") else 6000


class Words:
    """What the command line says otherwise."""
    seconds, count, seed, keep = None, COUNT, 1, None


class Deaf(compare.Library):
    """Reads everything as if it were empty, or takes nothing."""

    def __init__(self, answer):
        self.answer = answer

    def read(self, data, form, **style):
        return self.answer


def mutated_documents_are_read_as_python_reads_them(library):
    count, differences = compare.search(library, Words)
    return None if (count, differences) == (COUNT, 0) else f"{differences} of {count} differ"


def some_are_taken_and_some_are_not(library):
    """Else the comparison would compare nothing."""
    source, texts = compare.random.Random(2), compare.documents()
    for letter, form in (("j", compare.JSON), ("t", compare.TOML_1_0)):
        taken = sum(library.read(compare.mutate(source, letter, text, texts[letter]), form)
                    is not None for text in texts[letter] for _ in range(40))
        share = taken / (40 * len(texts[letter]))
        if not 0.02 < share < 0.9:
            return f"{share:.0%} of {letter}"
    return None


def a_library_that_reads_otherwise_is_caught(_):
    """The negative control."""
    for letter, data in (("j", b'{"a": 1}'), ("t", b"a = 1\n")):
        for answer in (None, b"{}"):
            if not compare.difference(Deaf(answer), letter, data):
                return f"{answer} for {data}"
        if not compare.difference(Deaf(b"{}"), letter, b"]"):
            return "what is wrong may be taken"
    return None


def what_differs_is_made_small(_):
    found = compare.smallest(Deaf(None), "t", b'# x\n[t]\na = 1\nb = ["x", 2]\n')
    return None if found == b"" else f"{found}"


def main():
    library = compare.Library(os.path.join(os.environ["BUILD"], "libuntorn.so"))
    tests = (mutated_documents_are_read_as_python_reads_them, some_are_taken_and_some_are_not,
             a_library_that_reads_otherwise_is_caught, what_differs_is_made_small)
    failed = 0
    for test in tests:
        problem = test(library)
        failed += problem is not None
        print(f"FAIL {test.__name__} {problem}" if problem else f"ok   {test.__name__}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
