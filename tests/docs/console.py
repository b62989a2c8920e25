"""Runs the examples of a document and compares what they print.

    console.py FILE.md

In a fenced block marked `console`, a line `$ COMMAND` is run and the lines behind it are what it
must print, standard error included; `...` stands for any text within a line. Blocks marked `sh`
and `python` are run and must succeed. A block marked `c` is the source that the next `sh` block
names.
The blocks of a document run in order, in the current directory, those for a shell in one shell.
Prints a line for each block, and at the end how many passed.
"""

import os
import re
import subprocess
import sys

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
MARK = "\x01"


def blocks(text):
    """Yields (line, language, content)."""
    for match in FENCE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2]


def steps(content):
    """A console block as [command, expected output]."""
    result = []
    for line in content.splitlines():
        if line.startswith("$ "):
            result.append([line[2:], ""])
        elif result:
            result[-1][1] += line + "\n"
        else:
            raise SystemExit(f"output before the first command: {line}")
    return result


def fits(expected, printed):
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, printed) is not None


class Shell:
    """One bash that runs commands one by one and keeps its variables and $? between them."""

    def __init__(self):
        self.process = subprocess.Popen(
            ["bash"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, bufsize=1)
        self.run("set +m")

    def run(self, command):
        """What it prints, and its status."""
        self.process.stdin.write(f"(exit ${{status:-0}})\n{command}\n"
                                 f"status=$?; printf '{MARK}%d\\n' $status\n")
        self.process.stdin.flush()
        printed = ""
        for line in self.process.stdout:
            if MARK in line:
                before, _, status = line.rpartition(MARK)
                return printed + before, int(status)
            printed += line
        raise SystemExit(f"the shell ended in: {command}\n{printed}")


def run_console(shell, content):
    for command, expected in steps(content):
        printed, _ = shell.run(command)
        if not fits(expected, printed):
            return f"$ {command}\nexpected:\n{expected}printed:\n{printed}"
    return None


def run_sh(shell, content, source):
    for name in re.findall(r"(?<![\w/])\w+\.c\b", content):
        if source and not os.path.exists(name):
            with open(name, "w", encoding="utf-8") as file:
                file.write(source)
    printed, status = shell.run(f"(set -e\n{content})")
    return None if status == 0 else f"status {status}\n{printed}"


def run_python(content):
    python = os.environ.get("PYTHON", "/usr/bin/python3")
    done = subprocess.run([python, "-c", content], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    missing = re.search(r"ModuleNotFoundError: (.*)", done.stdout)
    if missing:
        return "skip", missing[1]
    return None if done.returncode == 0 else f"status {done.returncode}\n{done.stdout}"


def run_block(shell, language, content, source):
    """None, what is wrong, or ("skip", why)."""
    if language == "python":
        return run_python(content)
    if language == "sh":
        return run_sh(shell, content, source)
    return run_console(shell, content)


def main():
    document = sys.argv[1]
    counts = {"ok ": 0, "FAIL": 0, "skip": 0}
    shell = Shell()
    with open(document, encoding="utf-8") as file:
        text = file.read()
    source = None
    for line, language, content in blocks(text):
        if language == "c":
            source = content
        if language not in ("console", "sh", "python"):
            continue
        problem = run_block(shell, language, content, source)
        where = f"{os.path.basename(document)}:{line}"
        sentence = f"the {language} example in {where} does what it says"
        if isinstance(problem, tuple):
            counts["skip"] += 1
            print(f"skip {sentence}: {problem[1]}")
        elif problem:
            counts["FAIL"] += 1
            print(f"FAIL {sentence}\n{problem}")
        else:
            counts["ok "] += 1
            print(f"ok  {sentence}")
    print(f"{counts['ok ']} passed, {counts['FAIL']} failed" +
          (f", {counts['skip']} skipped" if counts["skip"] else ""))
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
