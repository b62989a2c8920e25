#!/usr/bin/python3
# run: budget 30, timeout 600
"""clang, the other compiler, has nothing to say either: all warnings that the build asks of gcc."""

import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

BUILD = Path(os.environ["BUILD"])
ROOT = Path(os.environ["TESTS"]).resolve().parent
PLACES = ["src", "cli", "bindings", "examples"]
if os.environ.get("UNTORN_LONG"):
    PLACES += ["tests", "fuzz", "bench"]
WANTED = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow")
# What gcc alone knows, or clang says of what gcc is told to leave alone.
EXTRA = ["-Werror", "-Wno-unknown-warning-option"]

BAD = {
    "shadow": "int f(int n) { { int n = 1; (void)n; } return n; }",
    "implicit-int-conversion": "char f(int n) { return n + 1; }",
    "unused-variable": "void f(void) { int n; }",
}


def commands():
    """Yields (source, words of its compilation that a front end needs)."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        source = (Path(entry["directory"]) / entry["file"]).resolve()
        place = source.relative_to(ROOT).parts[0] if source.is_relative_to(ROOT) else ""
        if place in PLACES and source.suffix == ".c":
            words = shlex.split(entry["command"])[1:]
            yield source, [word for word in words
                           if word.startswith(("-I", "-isystem", "-D", "-U", "-W", "-std="))
                           and not word.startswith("-Wl,")]


def complaints(source, words):
    done = subprocess.run(["clang", "-fsyntax-only", "-O1", *words, *EXTRA, str(source)], cwd=BUILD,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout if done.returncode != 0 else ""


def main():
    if not shutil.which("clang"):
        print("needs clang")
        return 77
    found = list(commands())
    failed = []
    for source, words in found:
        if any(warning not in words for warning in WANTED):
            failed.append(f"{source}: compiled without {' '.join(WANTED)}")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed += [text for text in pool.map(lambda one: complaints(*one), found) if text]
    print("\n".join(failed))
    wrong = bool(failed) or len(found) < 200
    print(f"{'FAIL' if wrong else 'ok '} {len(found)} sources without a warning")
    for name, text in BAD.items():
        bad = Path(f"{name}.c").resolve()
        bad.write_text(text + "\n", encoding="utf-8")
        caught = f"-W{name}" in complaints(bad, WANTED)
        print(f"{'ok ' if caught else 'FAIL'} a source with -W{name} is caught")
        wrong = wrong or not caught
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
