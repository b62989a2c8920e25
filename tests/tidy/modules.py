"""Every module has a test of its name; twin files stay twins."""

import re

from check import Check, c_files, code_only, without_directives

# Lines `MODULE TEST`: a module, or a folder/ of them, without a test file of its own, and the
# test that covers it.
TABLE = "tests/tidy/covered-by"


def test_of(path):
    """The places where the test of src/<folder>/<name>.c may be."""
    folder = "/".join(path.parts[1:-1])
    name = f"{path.stem}_test.c"
    if folder == "os/sim":
        return [f"tests/sim/{name}"]
    if folder == "os/unix":
        return [f"tests/os/{name}", f"tests/os/unix/{name}"]
    return [f"tests/{folder}/{name}"]


def read_table(root):
    file = root / TABLE
    lines = file.read_text().splitlines() if file.exists() else []
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def untested_modules(root):
    table = read_table(root)
    found = [f"{TABLE}:1: {path} is not there" for path in table if not (root / path).exists()]
    for path, _ in c_files(root, "src"):
        if path.suffix != ".c" or path.parts[1:3] == ("os", "win"):
            continue
        listed = table.get(str(path)) or table.get(f"{path.parent}/")
        places = [listed] if listed else test_of(path)
        if not any((root / place).exists() for place in places):
            found.append(f"{path}:1: no test {' or '.join(places)}")
    return found


def verbs(text):
    """The os_ functions that a file defines, in order. One that it has twice is for two systems."""
    seen = without_directives(code_only(text))
    return list(dict.fromkeys(
        re.findall(r"^[a-z][\w \*]*?\b(os_\w+)\([^;{]*\)\s*\{", seen, re.M)))


def broken_twins(root):
    folders = {}
    for side in ("unix", "win"):
        folder = root / "src/os" / side
        found = {file.name: verbs(file.read_text()) for file in folder.glob("*.c")}
        # One without verbs is a helper, and needs no twin.
        folders[side] = {name: verbs_of for name, verbs_of in found.items() if verbs_of}
    if not folders["win"]:
        return []
    found = []
    for name in sorted(set(folders["unix"]) | set(folders["win"])):
        if name not in folders["unix"] or name not in folders["win"]:
            found.append(f"src/os/*/{name}:1: only one of unix/ and win/ has it")
        elif folders["unix"][name] != folders["win"][name]:
            found.append(f"src/os/*/{name}:1: not the same verbs in the same order")
    return found


def command_verbs(text):
    """What a file of the command's seam defines, in order."""
    seen = without_directives(code_only(text))
    return re.findall(r"^(?!static)[a-z][\w \*]*?\b((?:system|child|start)_\w+)"
                      r"(?:\([^;{]*\)\s*\{|\[\] =)", seen, re.M)


def broken_command_twins(root):
    """A file in cli/unix or cli/win that has no verbs is a helper, and needs no twin."""
    sides = {}
    for side in ("unix", "win"):
        found = {file.name: command_verbs(file.read_text(encoding="utf-8"))
                 for file in (root / "cli" / side).glob("*.c")}
        sides[side] = {name: verbs for name, verbs in found.items() if verbs}
    return [f"cli/*/{name}:1: not the same verbs in the same order"
            for name in sorted({*sides["unix"], *sides["win"]})
            if sides["unix"].get(name) != sides["win"].get(name)]


TWO = """int os_a(int x)
{
    return x;
}

int os_b(int x,
         int y)
{
    return x;
}
"""

COMMAND = TWO.replace("os_a", "system_a").replace("os_b", "start_b")

CHECKS = [
    Check("every module of src has a test of its name", untested_modules, [
        {"src/file/a.c": "", "tests/file/b_test.c": ""},
        {"src/os/unix/a.c": ""},
        {"src/os/sim/a.c": "", "tests/os/a_test.c": ""},
        {"src/file/a.c": "", TABLE: "src/file/a.c tests/file/b_test.c\n"},
        {TABLE: "src/file/a.c tests/file/b_test.c\n", "tests/file/b_test.c": ""},
    ], {
        "src/file/a.c": "", "tests/file/a_test.c": "", "src/os/unix/b.c": "",
        "tests/os/b_test.c": "", "src/os/sim/c.c": "", "tests/sim/c_test.c": "",
        "src/os/win/d.c": "", "src/file/e.c": "", "src/os/sim/f/g.c": "",
        TABLE: "src/file/e.c tests/file/a_test.c\nsrc/os/sim/f/ tests/sim/c_test.c\n",
    }),
    Check("unix/ and win/ hold the same verbs in the same order", broken_twins, [
        {"src/os/unix/a.c": TWO, "src/os/win/b.c": TWO},
        {"src/os/unix/a.c": TWO, "src/os/win/a.c": TWO.replace("os_b", "os_c")},
        {"src/os/unix/a.c": TWO.replace("os_b", "os_0").replace("os_a", "os_b"),
         "src/os/win/a.c": TWO},
    ], {"src/os/unix/a.c": TWO, "src/os/win/a.c": "#include <windows.h>\n" + TWO}),
    Check("cli/unix and cli/win hold the same verbs in the same order", broken_command_twins, [
        {"cli/unix/a.c": COMMAND, "cli/win/b.c": COMMAND},
        {"cli/unix/a.c": COMMAND, "cli/win/a.c": COMMAND.replace("start_b", "start_c")},
        {"cli/unix/a.c": COMMAND},
    ], {"cli/unix/a.c": COMMAND, "cli/win/a.c": COMMAND, "cli/win/b.c": TWO}),
]
