#!/usr/bin/python3
"""The example programs when nothing goes wrong: both variants do the same, untorn's in less."""

import ast
import datetime
import dis
import inspect
import itertools
import os
import re
import subprocess
import sys
import uuid
from pathlib import Path
from unittest import mock

from support import main
from programs import EXAMPLES, NAMES, ProgramCase, files, load


def context_manager(module):
    yield module.ContextManager("new/folder").load()
    context = module.ContextManager("new/folder")
    yield context.save()
    context.add_message("user", "Grüße, \u2028 and \x7f")
    context.state, context.global_context = {"step": 1, "done": None}, {"a": [1, 2.5, {"b": {}}]}
    yield context.save()
    again = module.ContextManager("new/folder")
    again.load()
    yield vars(again) == vars(context)
    again.add_message("assistant", "yes")
    yield again.save()
    yield {**vars(again), "folder": None}


COMMENTED = """\
# The settings of the house.
debug = false   # loud

[server]
host = "localhost" # only here
port = 8000

[server.tls]
"key file" = '/etc/key'

# people
[[user]]
name = "a"
"""


def config_service(module):
    service = module.ConfigService("new/folder")
    yield service.read_config()
    yield service.set_value("server.port", 8080)
    yield service.set_value("server.host", "localhost", scope="project")
    yield service.write_config({"server": {"debug": True, "ports": [1, 2]}, "core": {"name": "ü"}})
    yield service.write_config({"core": {"log": {"level": "info"}}})
    yield service.read_config()
    yield service.read_config("project")
    with open("new/folder/local.toml", "w") as file:
        file.write(COMMENTED)
    yield service.set_value("server.port", 9000, scope="local")
    yield service.set_value("server.timeout", 2.5, "local")
    yield service.write_scoped_config("local", {"server": {"since": datetime.date(2026, 1, 2)}})
    yield service.write_scoped_config("local", {"debug": True, "server": {"host": None}})
    yield service.read_config("local")
    try:
        service.set_value("a", 1, scope="galaxy")
    except ValueError as error:
        yield str(error)


def skills_hub(module):
    environments = module.EnvironmentStore("state/environments.json")
    yield environments.load()
    yield environments.set("sandbox", {"image": "debian:12", "mounts": []})
    yield environments.set("host", {"user": "ü", "limits": {"cpu": 2}})
    yield environments.load()
    yield environments.save({"only": {}})
    skills = module.SkillsRegistry("hub/lock.json")
    yield skills.load()
    yield skills.install("search", {"version": "1.2", "files": ["a.md", "b.md"]})
    yield skills.install("translate", {"version": "2", "files": []})
    yield skills.uninstall("search")
    yield skills.uninstall("nothing")
    yield skills.load()
    taps = module.TapsRegistry("hub/taps.json")
    for change in (taps.add, taps.add, taps.remove, taps.remove, taps.add):
        yield change("owner/skills")
    yield taps.add("other/skills")
    yield taps.load()
    cache = module.IndexCache("hub/cache/index.json", ttl=100)
    yield cache.get()
    yield cache.put({"skills": [{"name": "ö"}]})
    yield cache.get()
    os.utime("hub/cache/index.json", (0, 0))
    yield cache.get()
    yield cache.put([])
    yield cache.get()
    yield module.write_summary("out/summary.txt", "2 files\r\nGrüße")
    yield module.write_full("out/full.txt", "line\n" * 3000)
    yield module.write_full("out/full.txt", "")


def investigations(module):
    path = "cache/investigations.json"
    yield module.load_investigations(path)
    yield module.investigation_for("/srv/my.project", path)
    yield module.investigation_for("/srv/my.project", path)
    yield module.investigation_for('/srv/a "b"/ü', path)
    yield sorted(os.listdir("cache/" + module.investigation_for("/srv/my.project", path)))
    os.rmdir("cache/" + module.investigation_for("/srv/my.project", path))
    yield module.investigation_for("/srv/my.project", path)
    found = module.load_investigations(path)
    yield found
    yield module.save_investigations(path, {**found, "/more": "x"})


def play(session, variant):
    """What each step of a session gives, and leaves in its folder."""
    os.mkdir(variant)
    os.chdir(variant)
    numbers = itertools.count(1)
    with mock.patch("uuid.uuid4", lambda: uuid.UUID(int=next(numbers))):
        steps = [(result, files()) for result in session(load(variant, session.__name__))]
    os.chdir("..")
    return steps


class Lines:
    """Which lines of the programs have run."""

    def __enter__(self):
        self.seen = set()
        sys.settrace(self.look)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def look(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(str(EXAMPLES)):
            return None
        self.seen.add((Path(frame.f_code.co_filename), frame.f_lineno))
        return self.look

    def missed(self, path):
        return sorted(lines_of(compile(path.read_text(), path, "exec"))
                      - {line for name, line in self.seen if name == path})


def lines_of(code):
    """The lines that a code object has, and those of functions and classes in it."""
    found = {line for _, line in dis.findlinestarts(code) if line}
    for inner in code.co_consts:
        if hasattr(inner, "co_code"):
            found |= lines_of(inner)
    return found


def public(module):
    """Each public class and function, with its methods and their parameters."""
    found = {}
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        members = inspect.getmembers(thing, inspect.isfunction) if inspect.isclass(thing) \
            else [("", thing)]
        found[name] = {member: str(inspect.signature(function))
                       for member, function in members
                       if member == "__init__" or not member.startswith("_")}
    return found


def code_lines(variant, name):
    """Lines that are neither empty nor of the text at the head."""
    source = (EXAMPLES / variant / f"{name}.py").read_text()
    head = ast.parse(source).body[0].end_lineno
    return sum(bool(line.strip()) for line in source.splitlines()[head:])


class Programs(ProgramCase):
    def in_folder(self, session, *variants):
        os.mkdir(session.__name__)
        os.chdir(session.__name__)
        try:
            return [play(session, variant) for variant in variants]
        finally:
            os.chdir("..")

    def test_both_variants_leave_the_same_bytes(self):
        for session in (context_manager, config_service, skills_hub, investigations):
            with self.subTest(session.__name__):
                before, after = self.in_folder(session, "before", "after")
                self.assertEqual(len(before), len(after))
                for step, (one, other) in enumerate(zip(before, after), 1):
                    self.assertEqual(one, other, f"step {step}")

    def test_both_variants_have_the_same_names_and_untorns_is_shorter(self):
        for name in NAMES:
            self.assertEqual(public(load("before", name)), public(load("after", name)))
            self.assertLess(code_lines("after", name), code_lines("before", name))

    def test_every_line_of_the_programs_is_run(self):
        with Lines() as lines:
            for session in (context_manager, config_service, skills_hub, investigations):
                self.in_folder(session, "after")
        for name in NAMES:
            self.assertEqual(lines.missed(EXAMPLES / f"after/{name}.py"), [], name)
        self.assertTrue(lines.missed(EXAMPLES / "before/context_manager.py"))

    def test_the_page_tells_how_many_lines_and_its_examples_run(self):
        page = EXAMPLES / "README.md"
        told = re.findall(r"^\| `(\w+)\.py` .* \| (\d+) \| .* \| (\d+) \|$", page.read_text(), re.M)
        self.assertEqual(told, [(name, str(code_lines("before", name)),
                                 str(code_lines("after", name))) for name in NAMES])
        os.symlink(os.environ["BUILD"], "build")
        os.symlink(EXAMPLES.parent, "examples")
        console = Path(os.environ["TESTS"], "docs/console.py")
        said = subprocess.run([sys.executable, "-B", console, page], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stdout)


if __name__ == "__main__":
    main()
