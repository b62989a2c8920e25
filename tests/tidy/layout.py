"""How long things may be, and what no text may hold."""

import re

from check import Check, c_files, code_only, text_files, without_directives

FUNCTION_LINES = 70
FILE_LINES = 800
COLUMNS = 100
LAID_OUT = (".c", ".h", ".py", ".sh", ".build")
NOT_A_FUNCTION = re.compile(r"=|^\s*(?:typedef\s+)?(?:struct|union|enum|extern)\b[^()]*$")


def functions(text):
    """Yields (first line, last line) of every function, from its brace to its brace."""
    seen = without_directives(code_only(text))
    depth, start, head = 0, 0, ""
    for number, line in enumerate(seen.splitlines(), 1):
        for character in line:
            if character == "{":
                if depth == 0:
                    start = number
                depth += 1
            elif character == "}":
                depth -= 1
                if depth == 0:
                    if not NOT_A_FUNCTION.search(head):
                        yield start, number
                    head = ""
            elif depth == 0:
                head = "" if character == ";" else head + character
        head += " " if depth == 0 else ""


def long_functions(root):
    return [f"{path}:{start}: a function of {end - start + 1} lines"
            for path, text in c_files(root) for start, end in functions(text)
            if end - start + 1 > FUNCTION_LINES]


def long_files(root):
    return [f"{path}:1: a file of {text.count(chr(10))} lines"
            for path, text in c_files(root) if text.count("\n") > FILE_LINES]


def is_laid_out(path):
    return path.suffix in LAID_OUT or path.parts[0] == "tools" and not path.suffix


def wide_lines(root):
    return [f"{path}:{number}: {len(line)} columns"
            for path, text in text_files(root) if is_laid_out(path)
            for number, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


def blanks(root):
    found = []
    for path, text in text_files(root):
        if not is_laid_out(path):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if "\t" in line:
                found.append(f"{path}:{number}: a tab")
            if line != line.rstrip():
                found.append(f"{path}:{number}: blanks at the end of the line")
        if text and not text.endswith("\n"):
            found.append(f"{path}:{text.count(chr(10)) + 1}: no newline at the end")
    return found


UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b")


def unfinished(root):
    return [f"{path}:{number}: {match[1]}"
            for path, text in text_files(root)
            for number, line in enumerate(text.splitlines(), 1)
            for match in UNFINISHED.finditer(line)]


def function_of(lines):
    return "int f(void)\n{\n" + "    g();\n" * (lines - 2) + "}\n"


CHECKS = [
    Check(f"no function is longer than {FUNCTION_LINES} lines", long_functions, [
        {"src/file/a.c": function_of(FUNCTION_LINES + 1)},
        {"tests/file/a_test.c": function_of(FUNCTION_LINES + 1).replace("int f(void)", "TEST(a)")},
        {"cli/a.c": function_of(FUNCTION_LINES + 1).replace("void", "struct a *a, enum b b")},
    ], {
        "src/file/a.c": function_of(FUNCTION_LINES) * 3,
        "src/file/b.c": "static const int t[] = {\n" + "    1,\n" * 90 + "};\n" +
                        "struct s {\n" + "    int a;\n" * 90 + "};\n",
    }),
    Check(f"no C file is longer than {FILE_LINES} lines", long_files,
          [{"src/file/a.c": "\n" * (FILE_LINES + 1)}], {"src/file/a.c": "\n" * FILE_LINES}),
    Check(f"no line is wider than {COLUMNS} columns", wide_lines, [
        {"src/file/a.c": "x" * (COLUMNS + 1) + "\n"},
        {"tests/file/a.sh": "x" * (COLUMNS + 1) + "\n"},
        {"tools/a": "x" * (COLUMNS + 1) + "\n"},
    ], {"src/file/a.c": "x" * COLUMNS + "\n", "docs/a.md": "x" * 500 + "\n",
        "src/file/b.c": "é" * COLUMNS + "\n"}),
    Check("no tabs, no blanks at the end of a line, a newline at the end of the file", blanks, [
        {"src/file/a.c": "\tx\n"},
        {"src/file/a.h": "x \n"},
        {"src/file/a.h": "x"},
    ], {"src/file/a.c": "    x\n", "Makefile": "all:\n\tx\n"}),
    Check("nothing is marked as unfinished", unfinished, [
        {"src/file/a.c": "/* " + "TO" + "DO: later */\n"},
        {"docs/a.md": "FIX" + "ME\n"},
    ], {"src/file/a.c": 'mkdtemp("a.' + "X" * 6 + '");\n'}),
]
