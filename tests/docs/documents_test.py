#!/usr/bin/python3
"""What the documents say exists: links, files, verbs, options, statuses, decisions.

Each check runs on planted documents first, of which each must be caught.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```(?s:.*?)^```$|^(?: {4}.*\n)+|`[^`\n]+`", re.M)
PATH = re.compile(r"(?<![\w./-])(?:src|include|cli|tests|docs|tools|examples|bench)/[\w./*-]*")
# Of other programs: flock, tar, od, pkg-config, git; and of the tests' own drivers.
OTHER_OPTIONS = {"--nonblock", "--exclude", "--endian", "--cflags", "--libs", "--count",
                 "--kill-before",
                 "--state", "--shell"}


def documents(root):
    for file in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        yield file.relative_to(root), file.read_text(encoding="utf-8")


def code_in(text):
    """The parts of a document that are code, each with its line."""
    for match in CODE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[0]


def prose_of(text):
    return CODE.sub(lambda m: "\n" * m[0].count("\n"), text)


def anchors(text):
    """The headings as links name them."""
    found = set()
    without_blocks = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for heading in re.findall(r"^#+ (.*)$", without_blocks, re.M):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(words.strip().replace(" ", "-"))
    return found


def broken_links(root):
    found = []
    for path, text in documents(root):
        for target in LINK.findall(prose_of(text)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = (root / path.parent / name).resolve() if name else root / path
            if not file.exists():
                found.append(f"{path}: {target} is not there")
            elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
                found.append(f"{path}: {target}: no such heading")
    return found


def missing_files(root):
    found = []
    for path, text in documents(root):
        for line, code in code_in(text):
            for name in PATH.findall(code):
                name = name.rstrip(".")
                if not any(root.glob(name.rstrip("/"))):
                    found.append(f"{path}:{line}: {name} is not there")
    return found


def rows(root, header, list_name):
    """The rows of an X-macro list, as lists of their columns."""
    text = (root / header).read_text(encoding="utf-8")
    body = re.search(rf"#define {list_name}\(X\)((?:.*\\\n)*.*\n)", text)[1]
    for row in re.findall(r"X\((.*?\".*?)\)", body.replace("\\\n", ""), re.S):
        yield [column.strip() for column in row.split(",")]


def unnamed_outcomes(root):
    text = (root / "docs/guarantees.md").read_text(encoding="utf-8")
    wanted = [row[0] for row in rows(root, "include/untorn/status.h", "UNTORN_STATUS_LIST")]
    wanted += [row[2].strip('"') for row in rows(root, "include/untorn/error.h",
                                                 "UNTORN_FLAG_LIST")]
    found = [f"docs/guarantees.md: `{word}` is not named" for word in wanted
             if f"`{word}`" not in text]
    return found + [f"docs/guarantees.md: P{i} is not there" for i in range(1, 10)
                    if f"**P{i} " not in text]


def wrong_exits(root):
    """A row `| exit | `STATUS` ... |` must list exactly the statuses with that exit code."""
    text = (root / "docs/guarantees.md").read_text(encoding="utf-8")
    listed = {}
    for code, names in re.findall(r"^\| (\d) \| ((?:`[A-Z_]+` ?)+)\|$", text, re.M):
        for name in re.findall(r"`([A-Z_]+)`", names):
            listed[name] = code
    return [f"docs/guarantees.md: {row[0]} has exit {row[2]}, not {listed.get(row[0])}"
            for row in rows(root, "include/untorn/status.h", "UNTORN_STATUS_LIST")
            if row[0] in text and listed.get(row[0]) != row[2]]


def known_verbs():
    printed = subprocess.run([os.environ["UNTORN"], "--help"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    table = re.search(r"^usage:.*\n((?:.+\n)+)", printed, re.M)[1]
    return set(re.findall(r"^(?:[A-Z][a-z]+)? +([a-z]+) ", table, re.M)) | {"help"}


def known_options():
    found = {"--help", "--version"}
    for verb in known_verbs() - {"help"}:
        printed = subprocess.run([os.environ["UNTORN"], verb, "--help"], stdout=subprocess.PIPE,
                                 text=True, check=True).stdout
        found |= set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", printed, re.M))
    return found


def unknown_verbs(root):
    verbs = known_verbs()
    return [f"{path}:{line}: there is no untorn {verb}"
            for path, text in documents(root) for line, code in code_in(text)
            for verb in re.findall(r"\buntorn ([a-z]+)(?![\w-])", code) if verb not in verbs]


def unknown_options(root):
    options = known_options() | OTHER_OPTIONS
    return [f"{path}:{line}: there is no {option}"
            for path, text in documents(root) for line, code in code_in(text)
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", code) if option not in options]


def wrong_decisions(root):
    folder = root / "docs/decisions"
    pages = sorted(file.name for file in folder.glob("[0-9]*.md"))
    index = (folder / "README.md").read_text(encoding="utf-8") if pages else ""
    found = [f"docs/decisions/README.md: {page} is not listed" for page in pages
             if f"({page})" not in index]
    for number, page in enumerate(pages, 1):
        title = (folder / page).read_text(encoding="utf-8").splitlines()[0]
        if not page.startswith(f"{number:04}-") or not title.startswith(f"# {number:04} "):
            found.append(f"docs/decisions/{page}: not number {number:04}")
    return found


def wrong_version(root):
    version = re.search(r'UNTORN_VERSION "(.*)"',
                        (root / "include/untorn/version.h").read_text(encoding="utf-8"))[1]
    first = re.search(r"^## (.*)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[1]
    return [] if version in first else [f"CHANGELOG.md: begins with {first}, not {version}"]


STATUS = ("#define UNTORN_STATUS_LIST(X) \\\n    X(OK, 0, 0, \"done\") \\\n"
          "    X(GONE, 1, 3, \"it is gone\")\n")
FLAGS = "#define UNTORN_FLAG_LIST(X) \\\n    X(NEW, 0, \"new-one\", \\\n      \"it is new\")\n"
PROMISES = "".join(f"- **P{i} A.** b\n" for i in range(1, 10))
OUTCOMES = {"include/untorn/status.h": STATUS, "include/untorn/error.h": FLAGS}
NAMED = PROMISES + "| 0 | `OK` |\n| 3 | `GONE` |\n`new-one`\n"

# Sentence, function, trees that must be caught, a tree that must not be.
CHECKS = [
    ("every link leads to a file and a heading", broken_links, [
        {"README.md": "[a](docs/a.md)\n"},
        {"docs/a.md": "[a](../README.md)\n"},
        {"README.md": "[a](b.md#no-such)\n", "b.md": "# Some heading\n"},
        {"README.md": "# One\n[a](#two)\n"},
    ], {"README.md": "# In `C`, here\n[a](docs/b.md) [w](https://example.org) `[x](y)`\n"
                     "[b](docs/b.md#a-heading) [c](#in-c-here)\n",
        "docs/b.md": "## A heading\n[up](../README.md)\n"}),
    ("every file that is mentioned exists", missing_files, [
        {"README.md": "`src/a.c`\n"},
        {"docs/a.md": "```sh\ncc examples/a.c\n```\n"},
        {"docs/a.md": "\n    see tests/a/*.sh\n"},
    ], {"README.md": "`src/a.c`, `src/`, `src/*.c`. `/usr/include/b.h`, src/none\n",
        "src/a.c": ""}),
    ("the guarantees name every status, flag and promise", unnamed_outcomes, [
        {**OUTCOMES, "docs/guarantees.md": NAMED.replace("GONE", "LOST")},
        {**OUTCOMES, "docs/guarantees.md": NAMED.replace("new-one", "new")},
        {**OUTCOMES, "docs/guarantees.md": NAMED.replace("P7", "P6")},
    ], {**OUTCOMES, "docs/guarantees.md": NAMED}),
    ("the guarantees give every status its exit code", wrong_exits, [
        {**OUTCOMES, "docs/guarantees.md": NAMED.replace("| 3 | `GONE` |", "| 4 | `GONE` |")},
        {**OUTCOMES, "docs/guarantees.md": NAMED.replace("| 3 | `GONE` |", "`GONE`")},
    ], {**OUTCOMES, "docs/guarantees.md": NAMED}),
    ("every verb that is mentioned exists", unknown_verbs, [
        {"README.md": "`untorn save f`\n"},
        {"README.md": "```console\n$ untorn wirte f\n```\n"},
        {"README.md": "\n    untorn combine a b\n"},
    ], {"README.md": "untorn saves. `untorn write f`, `untorn in-place`, `untorn: f: no`\n"}),
    ("every option that is mentioned exists", unknown_options, [
        {"README.md": "`--no-such`\n"},
        {"docs/a.md": "```console\n$ untorn write --keeping 3 f\n```\n"},
    ], {"README.md": "`--if-match`, `--shared`, --nothing, `a--b`\n"}),
    ("every decision has its number and is listed", wrong_decisions, [
        {"docs/decisions/0001-a.md": "# 0001 A\n", "docs/decisions/README.md": "none\n"},
        {"docs/decisions/0002-a.md": "# 0002 A\n", "docs/decisions/README.md": "(0002-a.md)\n"},
        {"docs/decisions/0001-a.md": "# 0002 A\n", "docs/decisions/README.md": "(0001-a.md)\n"},
    ], {"docs/decisions/0001-a.md": "# 0001 A\n", "docs/decisions/README.md": "(0001-a.md)\n"}),
    ("the changes begin with this version", wrong_version, [
        {"CHANGELOG.md": "## 0.1.0\n", "include/untorn/version.h": '#define UNTORN_VERSION "2"\n'},
    ], {"CHANGELOG.md": "## Unreleased (2)\n",
        "include/untorn/version.h": '#define UNTORN_VERSION "2"\n'}),
]


def find_in_planted(find, tree):
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, content in tree.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        return find(root)


def main():
    failed = 0
    for sentence, find, planted, fine in CHECKS:
        problems = [f"does not catch {tree}" for tree in planted if not find_in_planted(find, tree)]
        problems += [f"should not mind: {line}" for line in find_in_planted(find, fine)]
        problems += find(ROOT)
        failed += bool(problems)
        print("FAIL" if problems else "ok ", sentence)
        for problem in problems:
            print("    ", problem)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
