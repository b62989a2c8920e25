"""The libraries export what the public headers declare, and nothing else."""

import os
import re
import subprocess
from pathlib import Path

from check import Check, c_files, code_only, without_directives

DECLARED = re.compile(r"\bUNTORN_API\b[^;{]*?\b(\w+)\s*\(")


def declared(root):
    names = set()
    for _, text in c_files(root, "include"):
        names |= set(DECLARED.findall(without_directives(code_only(text))))
    return names


def exported(library, *options):
    output = subprocess.run(["nm", "--defined-only", "--format=posix", *options, library],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    lines = [line.split() for line in output.splitlines()]
    return {line[0].split("@")[0] for line in lines if len(line) > 2 and line[1] != "A"}


def wrong_exports(root):
    # A planted tree brings its own libraries; the project's lie where it was built.
    build = root / "build"
    if not (root / "planted.c").exists():
        build = Path(os.environ.get("BUILD", build))
    wanted, found = declared(root), []
    for library, option in (("libuntorn.so", "--dynamic"), ("libuntorn.a", "--extern-only")):
        names = exported(build / library, option)
        found += [f"{library}:1: {name} is exported but not declared" for name in names - wanted]
        found += [f"{library}:1: {name} is declared but not exported" for name in wanted - names]
    return sorted(found)


def plant(root):
    """Makes both libraries of a planted tree from its planted.c."""
    source, build = root / "planted.c", root / "build"
    if source.exists():
        build.mkdir()
        for command in (["cc", "-shared", "-fPIC", "-o", build / "libuntorn.so", source],
                        ["cc", "-c", "-o", build / "planted.o", source],
                        ["ar", "rcs", build / "libuntorn.a", build / "planted.o"]):
            subprocess.run(command, check=True)


HEADER = """#define X UNTORN_API
UNTORN_API const char *untorn_a(void);
UNTORN_API int
untorn_b(int x,
         int y);
"""

CHECKS = [
    Check("the libraries export exactly what the public headers declare", wrong_exports, [
        {"include/untorn/a.h": HEADER, "planted.c": "int untorn_a, untorn_b, extra;\n"},
        {"include/untorn/a.h": HEADER, "planted.c": "int untorn_a;\n"},
    ], {"include/untorn/a.h": HEADER, "planted.c": "int untorn_a, untorn_b;\n"}),
]
