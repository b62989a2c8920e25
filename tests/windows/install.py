#!/usr/bin/python3
"""What is installed for Windows, and what a user makes of it: a program in C, a module for Python.

    tests/windows/install.py BUILD [TEXT]

Installs into a folder below the build, compiles examples/ against what lies there, and runs them
under Wine: they must print and leave what they do elsewhere. The suites of the Python package run
if UNTORN_WINDOWS_PYTHON names a python.exe with its standard library (and no ._pth file: with one,
Python hears of no PYTHONPATH). Ends with `N passed, N failed`.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import wine  # noqa: E402

GCC = "x86_64-w64-mingw32-gcc"
# Of the system everywhere. msvcrt.dll is the compiler's C library; a part of Windows too.
SYSTEM = {"ADVAPI32.dll", "bcrypt.dll", "KERNEL32.dll", "msvcrt.dll", "ntdll.dll"}
FILES = {"bin/untorn.exe", "bin/untorn.dll", "lib/untorn.dll.a", "lib/pkgconfig/untorn.pc",
         "include/untorn.h", "include/untorn/write.h", "python/untorn/_untorn.pyd",
         "python/untorn/__init__.py", "python/untorn/py.typed", "doc/LICENSE",
         "doc/guide/windows.md"}
# mkdir() of Windows has no mode.
NOT_FOR_WINDOWS = {"investigations"}
# Those that test Unix, its tools, or what a debugger sees of a process.
SUITES = ["config", "edits", "errors", "files", "open", "readme", "transactions"]


def objdump(file):
    return subprocess.run(["x86_64-w64-mingw32-objdump", "-p", file], stdout=subprocess.PIPE,
                          text=True, check=True).stdout


def imports(listing):
    """DLL to the names that are taken from it."""
    found = {}
    for part in re.split(r"\n\s*DLL Name: ", listing)[1:]:
        name, _, rest = part.partition("\n")
        table = rest.split("\n\n")[0]
        found[name.strip()] = set(re.findall(r"^\s+[0-9a-f]+\s+\d+\s+(\S+)$", table, re.M))
    return found


def exports(listing):
    table = listing.partition("[Ordinal/Name Pointer] Table")[2].split("\n\n")[0]
    return set(re.findall(r"\[\s*\d+\] (\w+)", table))


def strangers(listing, allowed):
    """What would have to lie beside it."""
    return {name for name in imports(listing) if name.lower() not in
            {one.lower() for one in allowed}}


class Installed(unittest.TestCase):
    """As one folder, which stands alone."""

    def test_all_is_there_and_no_more(self):
        there = {str(file.relative_to(PREFIX)) for file in PREFIX.rglob("*") if file.is_file()}
        self.assertEqual(FILES - there, set())
        self.assertEqual([name for name in there if name.startswith("share/")
                          or (name.startswith("python/") and name.endswith(".a"))], [])

    def test_nothing_has_to_lie_beside_them(self):
        for name in ("bin/untorn.exe", "bin/untorn.dll"):
            self.assertEqual(strangers(objdump(PREFIX / name), SYSTEM), set(), name)
        self.assertEqual(strangers(objdump(PREFIX / "bin/untorn.exe"), SYSTEM - {"KERNEL32.dll"}),
                         {"KERNEL32.dll"})

    def test_the_module_takes_what_every_python_has(self):
        listing = objdump(PREFIX / "python/untorn/_untorn.pyd")
        self.assertEqual(strangers(listing, SYSTEM | {"python3.dll"}), set())
        self.assertEqual(strangers(listing, SYSTEM), {"python3.dll"})
        self.assertIn("PyInit__untorn", exports(listing))
        text = (ROOT / "bindings/python/windows/python3.def").read_text(encoding="utf-8")
        listed = {line.split()[0] for line in text.partition("EXPORTS")[2].splitlines() if line}
        self.assertEqual(imports(listing)["python3.dll"], listed)
        self.assertFalse([name for name in listed if name.startswith("PyThread_")])

    def test_the_command_runs(self):
        Path("a.toml").write_text("a = 1 # one\n", encoding="utf-8")
        self.assertEqual(WINE.run([PREFIX / "bin/untorn.exe", "set", "a.toml", "a", "2"], 60), "")
        self.assertEqual(Path("a.toml").read_bytes(), b"a = 2 # one\n")


class Examples(unittest.TestCase):
    """As a user compiles them; what they say is what tests/docs/c_examples.sh wants."""

    @classmethod
    def setUpClass(cls):
        shutil.copy(PREFIX / "bin/untorn.dll", ".")
        for source in (ROOT / "examples").glob("*.c"):
            if source.stem not in NOT_FOR_WINDOWS:
                subprocess.run([GCC, "-std=gnu11", "-Wall", "-Wextra", "-Werror",
                                f"-I{PREFIX}/include", "-o", source.stem + ".exe", source,
                                f"-L{PREFIX}/lib", "-luntorn"], check=True)

    def says(self, program, *words):
        return WINE.run([Path(program + ".exe").absolute(), *words], 60)

    def check(self, path, text):
        self.assertEqual(Path(path).read_bytes(), text.encode())

    def test_it_is_the_dll_that_they_load(self):
        self.assertEqual(strangers(objdump("counter.exe"), SYSTEM), {"untorn.dll"})

    def test_counter(self):
        self.assertEqual([self.says("counter", "runs") for _ in range(3)],
                         [f"run number {number}\n" for number in (1, 2, 3)])
        self.check("runs", "3\n")
        self.assertIn("no such", self.says("counter", "missing/runs"))

    def test_save_state(self):
        for text in ('{"a":1}', '{"a":2}'):
            self.says("save_state", "state", text)
        self.check("state", '{"a":2}')
        os.mkdir("folder")
        self.assertIn("folder", self.says("save_state", "folder", "x"))

    def test_event_log(self):
        self.says("event_log", "log.jsonl", "start", "stop")
        with open("log.jsonl", "ab") as file:
            file.write(b'{"time":1')
        self.assertIn("torn record", self.says("event_log", "log.jsonl", "again"))
        lines = Path("log.jsonl").read_bytes().splitlines(keepends=True)
        self.assertEqual([re.search(rb'"event": ?"(\w+)".*\}\n$', line)[1] for line in lines],
                         [b"start", b"stop", b"again"])

    def test_edit(self):
        Path("app.toml").write_bytes(b"# main\n[server]\nport = 80 # proxy\n")
        self.assertEqual(self.says("edit", "app.toml", "server.port", "8080"), "it was 80\n")
        self.assertEqual(self.says("edit", "app.toml", "server.host", "localhost"),
                         "it was not there\n")
        self.check("app.toml", '# main\n[server]\nport = 8080 # proxy\nhost = "localhost"\n')

    def test_registry(self):
        self.says("registry", "r.json", "add", "n.1", "v 1")
        self.assertIn("taken: v 1\n", self.says("registry", "r.json", "add", "n.1", "other"))
        self.assertEqual(self.says("registry", "r.json", "list"), "n.1\tv 1\n")

    def test_entries(self):
        os.mkdir("f")
        for number, text in enumerate(('{"title": "t0"}', '{"title": "t', "")):
            Path(f"f/{number}.json").write_bytes(text.encode())
        said = self.says("entries", "f")
        self.assertIn("t0\n", said)
        self.assertIn("skipped, truncated: f/1.json", said)
        self.assertIn("skipped, empty: f/2.json", said)

    def test_hold_lock_and_cache_entry(self):
        """Their commands are for the shell of the system, cmd.exe here."""
        self.says("hold_lock", "token", "echo free")
        self.assertEqual(Path("token").read_text(encoding="utf-8"), "free\n")
        for word in ("first", "second"):
            said = self.says("cache_entry", "c.json", "60", "echo 1" if word == "first" else
                             "echo 2")
            self.assertEqual(said.strip(), "1")


class Controls(unittest.TestCase):
    """What judges above judges what is wrong too."""

    LISTING = """
\tDLL Name: python311.dll
\tvma:  Hint/Ord Member-Name Bound-To
\t4e50c\t    1  PyThread_allocate_lock

\tDLL Name: KERNEL32.dll
\tvma:  Hint/Ord Member-Name Bound-To
\t4e51c\t   22  CloseHandle

[Ordinal/Name Pointer] Table
\t[   0] untorn_write

"""

    def test_a_module_for_one_python_alone_is_seen(self):
        self.assertEqual(strangers(self.LISTING, SYSTEM), {"python311.dll"})
        self.assertEqual(imports(self.LISTING)["python311.dll"], {"PyThread_allocate_lock"})
        self.assertEqual(exports(self.LISTING), {"untorn_write"})


class Python(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("UNTORN_WINDOWS_PYTHON"),
                         "no Python for Windows: UNTORN_WINDOWS_PYTHON names none")
    def test_the_suites_of_the_package(self):
        python = Path(os.environ["UNTORN_WINDOWS_PYTHON"]).resolve()
        WINE.environment.update(BUILD=windows_path(PREFIX), TESTS=windows_path(ROOT / "tests"))
        for suite in SUITES:
            os.mkdir(suite)
            os.chdir(suite)
            said = WINE.run([python, "-B", ROOT / f"tests/python/{suite}_test.py"], 600)
            os.chdir("..")
            print(*(f"{suite}: {line}" for line in said.splitlines()
                    if line.startswith(("skip ", "FAIL: ", "ERROR: ")) or " passed, " in line),
                  sep="\n", flush=True)
            with self.subTest(suite):
                self.assertRegex(said, r"(?m)^[1-9]\d* passed, 0 failed")


def windows_path(path):
    return "Z:" + str(path).replace("/", "\\")


def build(folder):
    subprocess.run(["make", "-s", "-C", ROOT, "windows", f"DESTDIR={folder}/installed",
                    f"BUILD={str(folder).removesuffix('-windows')}"],
                   stdout=subprocess.DEVNULL, check=True)


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skipped: windows/install/{test._testMethodName}: {reason}")


if __name__ == "__main__":
    BUILD = Path(sys.argv[1]).resolve()
    TEXT = sys.argv[2] if len(sys.argv) > 2 else ""
    PREFIX = BUILD / "installed/untorn"
    shutil.rmtree(BUILD / "installed", ignore_errors=True)
    build(BUILD)
    with wine.Wine(BUILD) as WINE:
        os.chdir(WINE.temporary)
        done = unittest.main(argv=sys.argv[:1] + (["-k", TEXT] if TEXT else []), exit=False,
                             verbosity=0, testRunner=unittest.TextTestRunner(
                                 stream=sys.stdout, verbosity=0, resultclass=Result)).result
        os.chdir(ROOT)
    failed, skipped = len(done.failures) + len(done.errors), len(done.skipped)
    print(f"{max(done.testsRun - failed - skipped, 0)} passed, {failed} failed"
          + (f", {skipped} skipped" if skipped else ""))
    sys.exit(failed != 0)
