#!/usr/bin/python3
"""The package as a whole: what it names, its stub, what it needs of the system."""

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


if __name__ == "__main__":
    main()
