#!/usr/bin/python3
# run: budget 30
"""The package as a whole: what it names, its stub, its memory, what it needs of the system."""

import ast
import inspect
import os
import re
import subprocess
from pathlib import Path

from support import PACKAGE, Case, main, untorn

STUB = PACKAGE / "untorn/__init__.pyi"


def stub_definitions(body):
    """Name to the parameter names of every variant of it."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            spec = node.args
            names = [a.arg for a in spec.args] + [a.arg for a in spec.kwonlyargs]
            names += [a.arg for a in (spec.vararg, spec.kwarg) if a]
            found.setdefault(node.name, []).append(names)
    return found


def differences(definitions, owner):
    """Functions whose stub does not name the parameters they have."""
    found = []
    for name, variants in definitions.items():
        real = inspect.getattr_static(owner, name)
        if isinstance(real, property) or name == "__exit__":
            continue
        wanted = {*inspect.signature(getattr(owner, name)).parameters}
        told = {parameter for names in variants for parameter in names}
        if told != wanted:
            found.append((name, sorted(told ^ wanted)))
    return found


class Package(Case):
    def test_every_name_is_there_documented_and_in_the_stub(self):
        tree = ast.parse(STUB.read_text())
        told = {node.name for node in tree.body
                if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(told, {*untorn.__all__})
        for name in untorn.__all__:
            self.assertTrue(getattr(untorn, name).__doc__, name)
        self.assertTrue((PACKAGE / "untorn/py.typed").exists())

    def test_the_stub_has_the_parameters_of_the_functions(self):
        tree = ast.parse(STUB.read_text())
        self.assertEqual(differences(stub_definitions(tree.body), untorn), [])
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                self.assertEqual(
                    differences(stub_definitions(node.body), getattr(untorn, node.name)), [])
        wrong = ast.parse("def who(file, **options): ...")
        self.assertEqual(differences(stub_definitions(wrong.body), untorn),
                         [("who", ["file", "path"])])

    def test_the_module_stands_alone_and_uses_the_stable_abi(self):
        module = PACKAGE / "untorn/_untorn.abi3.so"
        needed = subprocess.run(["readelf", "-d", module], stdout=subprocess.PIPE, text=True,
                                check=True).stdout
        self.assertEqual({*re.findall(r"NEEDED.*\[(.*?)\]", needed)} - {"ld-linux-x86-64.so.2"},
                         {"libc.so.6"})
        names = subprocess.run(["nm", "-D", "--defined-only", module], stdout=subprocess.PIPE,
                               text=True, check=True).stdout.split()
        self.assertEqual(names[2::3], ["PyInit__untorn"])

    def test_the_version_is_that_of_the_library(self):
        command = subprocess.run([os.environ["UNTORN"], "--version"], stdout=subprocess.PIPE,
                                 text=True, check=True).stdout
        self.assertIn(untorn.__version__, command)


def rss():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


class Memory(Case):
    """A leak of one object of each call would show: 20,000 of the smallest take 1 MB."""

    LIMIT = 512 * 1024

    def grows(self, call, count):
        for _ in range(300):
            call()
        before = rss()
        for _ in range(count):
            call()
        return rss() - before

    def ignoring(self, call):
        def ignore():
            try:
                call()
            except (untorn.Error, ValueError, TypeError, RuntimeError):
                pass
        return ignore

    def calls(self):
        fast = {"level": "cache", "keep": 1}  # the old one moves aside: no flush of ext4
        self.put("good.json", '{"a": [1, 2, {"b": "c"}]}')
        self.put("bad.json", '{"a')

        def fail(_):
            raise RuntimeError
        return {
            "missing": lambda: untorn.read_bytes("missing"),
            "damaged": lambda: untorn.read_json("bad.json"),
            "wrong path": lambda: untorn.read_bytes("a\0b"),
            "read": lambda: untorn.read_json("good.json"),
            "get": lambda: untorn.get("good.json", ["a", "2"]),
            "get nothing": lambda: untorn.get("good.json", "x"),
            "hash": lambda: untorn.hash("good.json"),
            "write": lambda: untorn.write_json("w.json", [1], **fast),
            "append": lambda: untorn.append("log", "x", level="cache"),
            "set": lambda: untorn.set("s.json", ["a", "b"], "x" * 100, **fast),
            "ensure": lambda: untorn.ensure("s.json", "a", 1, **fast),
            "ensure by function": lambda: untorn.ensure("s.json", "f", lambda: fail(0), **fast),
            "ensure anew": lambda: untorn.ensure("s.json", "a", 1, valid=lambda _: False, **fast),
            "ensure that fails": lambda: untorn.ensure("s.json", "a", 1, valid=fail, **fast),
            "commit": self.commit,
            "open": self.open_and_forget,
            "undo": lambda: untorn.undo("missing"),
            "version": lambda: untorn.read_version("good.json"),
            "set wrongly": lambda: untorn.set("s.json", "a.b.c", 1, **fast),
            "update": lambda: untorn.update("u.json", lambda n: (n or 0) + 1, **fast),
            "update that fails": lambda: untorn.update("u.json", fail, **fast),
            "set of files": lambda: untorn.read_set(["good.json", "bad.json", "missing"]),
            "lock": lambda: untorn.Lock("l").__enter__().release(),
            "who": lambda: untorn.who("good.json"),
            "history": lambda: untorn.history("good.json"),
        }

    def commit(self):
        with untorn.transaction(level="cache") as t:
            t.set("good.json", ["x", "y"], 1)
            t.update("u.json", lambda n: n)
            t.write_bytes("w.json", b"1")
            t.remove("missing")  # so that none changes

    def open_and_forget(self):
        untorn.open("w.json", "w").write("x" * 10000)

    def test_no_call_keeps_memory(self):
        count = 20000 if os.environ.get("UNTORN_LONG") else 2000
        limit = self.LIMIT if count == 20000 else self.LIMIT // 4
        for name, call in self.calls().items():
            call = self.ignoring(call)
            # What an allocator keeps for later grows once, a leak grows always.
            grown = self.grows(call, count)
            if grown >= limit:
                grown = self.grows(call, count)
            self.assertLess(grown, limit, name)

    def test_a_leak_would_be_seen(self):
        kept = []
        self.assertGreater(self.grows(lambda: kept.append(bytearray(40)), 2000), self.LIMIT // 4)


if __name__ == "__main__":
    main()
