"""Invariants are declared once, where the protocol lives, and cited by number.

    /* ...
     *   REPLACE-1  At every moment the name shows one whole version.
     */

and, in code and tests: [REPLACE-1].
"""

import re

from check import Check, c_files, comments_only, line_of, text_files

NAME = r"[A-Z]+(?:-[A-Z]+)*-\d+"
DECLARED = re.compile(rf"^ \*\s+({NAME})\s", re.M)
CITED = re.compile(rf"\[({NAME})\]")
NOT_OURS = re.compile(r"(?:UTF|SHA|ISO|IEEE|RFC)-\d+")


def declarations(root):
    """Name to places."""
    places = {}
    for path, text in c_files(root, "src"):
        for match in DECLARED.finditer(text):
            if not NOT_OURS.fullmatch(match[1]):
                places.setdefault(match[1], []).append(f"{path}:{line_of(text, match.start(1))}")
    return places


def citations(root):
    """Yields (name, path, line)."""
    for path, text in text_files(root):
        if path.parts[0] not in ("src", "tests", "docs") or path.parts[:2] == ("tests", "tidy"):
            continue
        seen = comments_only(text) if path.suffix in (".c", ".h") else text
        for match in CITED.finditer(seen):
            if not NOT_OURS.fullmatch(match[1]):
                yield match[1], path, line_of(seen, match.start())


def undeclared(root):
    declared = declarations(root)
    return [f"{path}:{line}: {name} is declared nowhere"
            for name, path, line in citations(root) if name not in declared]


def declared_twice(root):
    return [f"{place}: {name} is declared twice"
            for name, places in declarations(root).items() for place in places[1:]]


def untested(root):
    cited = {name for name, path, _ in citations(root) if path.parts[0] == "tests"}
    return [f"{places[0]}: no test cites {name}"
            for name, places in declarations(root).items() if name not in cited]


ONE = "/* How.\n *\n *   REPLACE-1  Whole.\n *   IN-PLACE-12  Journaled.\n *   UTF-8 text.\n */\n"
TESTED = {"src/file/a.c": ONE + "/* By [REPLACE-1]. */\nx[N-1];\n",
          "tests/file/a_test.c": "/* [REPLACE-1] [IN-PLACE-12] */\n"}

CHECKS = [
    Check("every invariant that is cited is declared", undeclared, [
        {"src/file/a.c": ONE, "src/file/b.c": "/* By [REPLACE-2]. */\n"},
        {"src/file/a.c": ONE, "tests/crash/a.sh": "# [REPLACE-3]\n"},
        {"tests/file/a_test.c": 'CHECK_TEXT(x, "[LOCK-1]");\n'},
    ], TESTED),
    Check("every invariant is declared once", declared_twice, [
        {"src/file/a.c": ONE, "src/file/b.h": ONE},
    ], TESTED),
    Check("every invariant is cited by a test", untested, [
        {"src/file/a.c": ONE + "/* [REPLACE-1] [IN-PLACE-12] */\n"},
        {"src/file/a.c": ONE, "tests/file/a_test.c": "/* [REPLACE-1] */\n"},
    ], TESTED),
]
