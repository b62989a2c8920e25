#!/usr/bin/python3
"""The negative controls of fuzz/held.c: a way of large JSON that errs breaks it on a kept input."""

import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True

from lib import ROOT, Count, compile_with_replay, replay  # noqa: E402

BUILD = Path(os.environ["BUILD"])
WRONG = {  # of wrong_held.c
    "byte": "another byte is noticed", "short": "a byte that is missing is noticed",
    "open": "a text without its end is noticed", "old": "an edit that is not made is noticed",
    "refused": "a refusal of what can be done is noticed", "words": "other words are noticed",
    "status": "another status is noticed", "made": "another answer is noticed",
    "silent": "no answer is noticed", "twice": "two answers are noticed",
    "remembered": "what is left of a try is noticed",
}


def main():
    count = Count()
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "held"
        compile_with_replay(program, ROOT / "fuzz/held.c", ROOT / "fuzz/fuzz.c",
                            ROOT / "tests/fuzz/wrong_held.c", "-Wl,--wrap=json_held_edit_sized",
                            BUILD / "libuntorn_core.a", BUILD / "libuntorn_os.a", "-pthread")
        for wrong, sentence in {"": "without a mistake nothing is noticed", **WRONG}.items():
            problem = replay(program, ROOT / "fuzz/corpus/held", WRONG=wrong)
            noticed = problem is not None and "does not hold" in problem
            count.case(sentence, None if noticed == bool(wrong) else f"{problem}")
    count.finish()


if __name__ == "__main__":
    main()
