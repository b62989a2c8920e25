#!/usr/bin/python3
"""Every public header stands alone: as C11, as C++17, and for a compiler that targets Windows."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "include"
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
# As Microsoft's compiler would: it has no attributes of GNU C, which clang takes silently. Only the
# headers that come with the compiler: no Windows SDK is needed.
MICROSOFT = ["clang", "--target=x86_64-pc-windows-msvc", "-ffreestanding", "-nostdlibinc",
             "-D__attribute__(x)=_an_attribute_of_GNU_C"]
COMPILERS = {
    "C11": ["cc", "-std=c11", *STRICT, "-x", "c"],
    "C++17": ["c++", "-std=c++17", *STRICT, "-x", "c++"],
    "Windows": [*MICROSOFT, "-std=c11", *STRICT, "-x", "c"],
    "Windows in C++": [*MICROSOFT, "-std=c++17", *STRICT, "-x", "c++"],
}
WINDOWS = ["Windows", "Windows in C++"]
# Each must be refused by the compilers it names: what the headers are checked for.
PLANTED = {
    "a type whose header is missing": ("size_t f(void);", ["C11", "C++17"]),
    "an extension of GNU C": ("struct s { int a[0]; };", COMPILERS),
    "a statement as an expression": ("static inline int f(void) { return ({ 1; }); }", COMPILERS),
    "an attribute that is not guarded": ("__attribute__((pure)) int f(void);", WINDOWS),
    "a keyword of C++ as a name": ("void f(int class);", ["C++17", "Windows in C++"]),
    "a header of POSIX": ("#include <unistd.h>\n", WINDOWS),
}


def compile_alone(command, include, name):
    """Returns what the compiler says against a file that includes one header and nothing else."""
    made = subprocess.run([*command, "-I", include, "-"], text=True, check=False,
                          input=f"#include <{name}>\nextern int end;\n",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return made.stdout or f"status {made.returncode}" if made.returncode else ""


def problems_of(language, command):
    problems = []
    for file in sorted(INCLUDE.rglob("*.h")):
        problems.append(compile_alone(command, INCLUDE, file.relative_to(INCLUDE)))
    with tempfile.TemporaryDirectory() as folder:
        for what, (text, languages) in PLANTED.items():
            Path(folder, "planted.h").write_text(f"#ifndef P\n#define P\n{text}\n#endif\n")
            if language in languages and not compile_alone(command, folder, "planted.h"):
                problems.append(f"{what} is not caught\n")
    return "".join(problems)


def main():
    passed = failed = skipped = 0
    for language, command in COMPILERS.items():
        sentence = f"every public header compiles alone for {language}"
        if not shutil.which(command[0]):
            skipped += 1
            print(f"skip {sentence}: no {command[0]}")
            continue
        problems = problems_of(language, command)
        if problems:
            failed += 1
            print(f"FAIL {sentence}\n{problems}")
        else:
            passed += 1
            print(f"ok  {sentence}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
