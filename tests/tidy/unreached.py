"""What is left out of the measured branches says why, where that counts."""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

from check import Check, c_files

TOOL = Path(__file__).resolve().parents[2] / "tools/covered"


def load():
    """tools/covered has the list of files and the form of the comment."""
    sys.dont_write_bytecode = True
    spec = spec_from_loader("covered", SourceFileLoader("covered", str(TOOL)))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COVERED = load()
WORD = "UN" + "REACHED"


def marks(root):
    """Yields path, line number and text of each line that has the word."""
    for path, text in c_files(root):
        for number, line in enumerate(text.splitlines(), 1):
            if WORD in line:
                yield str(path), number, line


def without_reason(root):
    return [f"{path}:{number}: no reason, or not in the form /* {WORD}: why */"
            for path, number, line in marks(root) if not COVERED.MARK.search(line)]


def elsewhere(root):
    return [f"{path}:{number}: the branches of this file are not measured"
            for path, number, _ in marks(root) if path not in COVERED.CORE]


def gone(root):
    """Only for a tree that has these folders at all."""
    return [f"tools/covered: {name} is not there" for name in COVERED.CORE
            if (root / name).parent.exists() and not (root / name).exists()]


ONE = COVERED.CORE[0]
FINE = {ONE: f"    if (a) /* {WORD}: a is never so */\n"}

CHECKS = [
    Check("what is left out of the measured branches has a reason", without_reason, [
        {ONE: f"    if (a) /* {WORD} */\n"},
        {ONE: f"    if (a) /* {WORD}: */\n"},
        {ONE: f"    if (a) /* {WORD}: no */\n"},
        {ONE: f"    if (a) /* {WORD}: a reason that\n     * goes on */\n"},
        {ONE: f"    if (a) // {WORD}: a is never so\n"},
    ], FINE),
    Check("only where branches are measured some are left out", elsewhere, [
        {"src/text/a.c": FINE[ONE]},
        {"cli/a.c": FINE[ONE]},
    ], FINE),
    Check("the files whose branches are measured are there", gone, [{"src/file/other.c": ""}],
          {name: "" for name in COVERED.CORE}),
]
