"""Every function of the extension, as it succeeds and in the ways it fails.

Each call stands for itself and may be made any number of times. Those that go through the package
are written down here; from what these hand to the extension the others are made: the same with one
argument spoiled, and the same without memory.
"""

import resource
import signal
from pathlib import Path

import _testcapi

from support import end, holder, untorn
from untorn import _untorn

# The old version moves aside: on some file systems that costs less than to let it go.
FAST = {"level": "cache", "keep": 1}
SCHEMA = ('[[key]]\nname = "port"\ntype = "integer"\ndefault = 1\ndescription = "d"\n'
          '[[key]]\nname = "token"\nsecret = true\n[[key]]\nname = "any"\n')
FAILURES = (untorn.Error, OSError, ValueError, TypeError, KeyError, RuntimeError, MemoryError,
            KeyboardInterrupt)


def attempt(call):
    """Whether it succeeds. Not SystemError: that is the extension's own mistake."""
    try:
        call()
    except FAILURES:
        return False
    return True


def fail(*_):
    raise RuntimeError


class Calls:
    """In the working directory, which is empty; to be closed."""

    def __init__(self):
        for name, text in (("good.json", '{"a": [1, 2, {"b": "c"}], "n": null}'),
                           ("bad.json", '{"a'), ("good.toml", "# c\n[a]\nb = 1\n"),
                           ("good.jsonc", "{} // c"), ("bad.jsonc", "{ /"), ("nul", "\0\0"),
                           ("misfit.toml", "port = 's'\n"), ("damaged.toml", "x =")):
            Path(name).write_text(text)
        Path("folder").mkdir()
        Path("link").symlink_to("good.json")
        for value in (1, 2):
            with untorn.transaction() as t:
                t.write_json("mixed-1.json", value)
                t.write_json("mixed-2.json", value)
            untorn.write_json("old.json", value, keep=3)
        Path("mixed-1.json").write_text("1")
        Path("old-bad.json").write_text("1")
        untorn.write_json("old-bad.json", 2)
        Path("old-bad.json").write_text("{")
        self.config = self.configure()
        self.holder = holder("held.json")

    def close(self):
        end(self.holder)

    def configure(self, **how):
        return untorn.Config("calls", **{
            "paths": {"global": "g.toml", "project": "p.json", "local": "l.toml"},
            "schema_text": SCHEMA, "environment": {"A": "b"}, **how})

    # ---- through the package ----

    def whole_files(self):
        def write(**options):
            untorn.write_bytes("w", b"x" * 100, **{**FAST, **options})
        return {
            "write": write,
            "write if changed": lambda: write(if_changed=True),
            "write exclusively": lambda: write(exclusive=True),
            "write another version": lambda: write(if_match="0" * 32),
            "write no hash": lambda: write(if_match="0"),
            "write over a folder": lambda: untorn.write_bytes("folder", b""),
            "write without parents": lambda: untorn.write_bytes("no/w", b"", parents=False),
            "write through a link": lambda: untorn.write_bytes("link", b"", symlink="refuse"),
            "write what is locked": lambda: untorn.write_bytes("held.json", b"1", timeout=0),
            "append": lambda: untorn.append("log", "x", level="cache"),
            "append no record": lambda: untorn.append("log.jsonl", "{", level="cache"),
            "read": lambda: untorn.read_json("good.json"),
            "read TOML": lambda: untorn.read_toml("good.toml"),
            "read comments": lambda: untorn.read_json("good.jsonc"),
            "read damaged comments": lambda: untorn.read_json("bad.jsonc"),
            "read nothing": lambda: untorn.read_bytes("missing"),
            "read damage": lambda: untorn.read_json("bad.json"),
            "read damage with an old version": lambda: untorn.read_json("old-bad.json"),
            "read NULs": lambda: untorn.read_bytes("nul"),
            "read a folder": lambda: untorn.read_bytes("folder"),
            "read a path with a NUL": lambda: untorn.read_bytes("a\0b"),
            "hash": lambda: untorn.hash("good.json"),
            "open": self.open_and_close,
            "open and forget": lambda: untorn.open("w", "w", **FAST).write("x" * 10000),
            "open nothing": lambda: untorn.open("no/w", "w"),
            "open what is locked": self.open_locked,
            "open and write too much": self.open_too_large,
        }

    def open_and_close(self):
        with untorn.open("w", "wb", **FAST) as file:
            file.write(b"x" * 10000)

    def open_locked(self):
        with untorn.open("held.json", "wb", timeout=0) as file:
            file.write(b"x")

    def open_too_large(self):
        most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, most[1]))
        try:
            self.open_and_close()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, most)

    def documents(self):
        def patch(path):
            untorn.patch("s.json", [{"op": "test", "path": path, "value": 2}], **FAST)
        return {
            "set": lambda: untorn.set("s.json", ["a", "b"], "x" * 100, **FAST),
            "set TOML": lambda: untorn.set("s.toml", {"a.b": 1.5, "c": [True]}, **FAST),
            "set in a scalar": lambda: untorn.set("good.json", "a[0].b", 1, **FAST),
            "set no key": lambda: untorn.set("good.json", "", 1, **FAST),
            "set in damage": lambda: untorn.set("bad.json", "a", 1, **FAST),
            "set in what is locked": lambda: untorn.set("held.json", "a", 1, timeout=0),
            "unset nothing": lambda: untorn.unset("good.json", "x", **FAST),
            "merge": lambda: untorn.merge("s.json", {"m": {"x": 1}}, **FAST),
            "patch": lambda: patch("/a/b"),
            "get": lambda: untorn.get("good.json", ["a", "2"]),
            "get TOML": lambda: untorn.get("good.toml", "a"),
            "get null": lambda: untorn.get("good.json", "n"),
            "get no key": lambda: untorn.get("good.json", "x"),
            "get nothing": lambda: untorn.get("missing.json", "x"),
            "get of damage": lambda: untorn.get("bad.json", "x"),
            "get of no format": lambda: untorn.get("nul", "x"),
            "ensure": lambda: untorn.ensure("s.json", "e", 1, **FAST),
            "ensure by a function": lambda: untorn.ensure("s.toml", "f", lambda: 1, **FAST),
            "ensure by one that fails": lambda: untorn.ensure("s.json", "g", fail, **FAST),
            "ensure in damage": lambda: untorn.ensure("bad.json", "g", 1, **FAST),
            "update": lambda: untorn.update("u.json", lambda n: (n or 0) + 1, **FAST),
            "update TOML": lambda: untorn.update("u.toml", lambda _: {"a": [{}]}, **FAST),
            "update TOML to a list": lambda: untorn.update("u.toml", lambda _: [1], **FAST),
            "update not": lambda: untorn.update("u.json", lambda n: None, **FAST),
            "update that fails": lambda: untorn.update("u.json", fail, **FAST),
            "update damage": lambda: untorn.update("bad.json", lambda n: 1, **FAST),
            "update what is locked": lambda: untorn.update("held.json", len, timeout=0),
            "edit": self.edit,
        }

    def edit(self):
        with untorn.edit("e.toml", **FAST) as document:
            document["n"] = document.get("n", 0) + 1

    def sets_and_locks(self):
        return {
            "commit": self.commit,
            "commit of nothing there": self.commit_nothing,
            "commit by a function that fails": self.commit_failing,
            "read a set": lambda: untorn.read_set(["good.json", "bad.json", "missing"]),
            "read a mixed set": lambda: untorn.read_set(["mixed-1.json", "mixed-2.json"]),
            "read a set of a folder": lambda: untorn.read_set(["good.json", "folder"]),
            "lock": lambda: untorn.Lock("l").__enter__().release(),
            "lock shared": lambda: untorn.Lock("l", shared=True).__enter__().release(),
            "lock what is locked": lambda: untorn.Lock("held.json", 0).acquire(),
            "who": lambda: untorn.who("held.json"),
            "who has none": lambda: untorn.who("good.json"),
            "who of a folder": lambda: untorn.who("folder/x/y"),
            "history": lambda: untorn.history("old.json"),
            "history of nothing": lambda: untorn.history("no/file"),
            "version": lambda: untorn.read_version("old.json"),
            "version that is not": lambda: untorn.read_version("good.json", 9),
            "undo": lambda: untorn.undo("old.json", level="cache"),
            "undo nothing": lambda: untorn.undo("missing"),
            "restore": lambda: untorn.restore("old.json", 1, **FAST),
            "restore nothing": lambda: untorn.restore("old.json", 9),
        }

    def commit(self):
        Path("c-4").touch()
        with untorn.transaction(level="cache") as t:
            t.set("c-1.json", ["x", "y"], 1)
            t.update("c-2.json", lambda n: n or 1)
            t.write_bytes("c-3", b"1")
            t.remove("c-4")

    def commit_nothing(self):
        with untorn.transaction(level="cache") as t:
            t.set("c-1.json", "x.y", 2)
            t.remove("missing")

    def commit_failing(self):
        with untorn.transaction(level="cache") as t:
            t.write_bytes("c-3", b"2")
            t.update("c-2.json", fail)

    def configurations(self):
        config, damaged = self.config, self.configure(paths={"global": "damaged.toml"})
        misfit = self.configure(paths={"global": "misfit.toml"})
        homeless = self.configure(paths={}, environment={})
        return {
            "config": self.configure,
            "config of a wrong schema": lambda: self.configure(schema_text="x"),
            "config of no schema": lambda: self.configure(schema_text=None, schema="missing"),
            "config with overrides": lambda: self.configure(overrides={"port": 2}),
            "config with wrong overrides": lambda: self.configure(overrides={"port": "x"}),
            "config get": lambda: config["port"],
            "config get everything": config.as_dict,
            "config get no key": lambda: config["x"],
            "config get of damage": lambda: damaged["port"],
            "config get what does not fit": lambda: misfit["port"],
            "config list": config.entries,
            "config list of damage": damaged.entries,
            "config list what does not fit": misfit.entries,
            "config check": config.check,
            "config check of damage": damaged.check,
            "config set": lambda: config.set({"port": 3, "any": [1]}, scope="global", **FAST),
            "config set a secret": lambda: config.set("token", "x", scope="local", **FAST),
            "config set in two": lambda: config.set_in({"global": {"port": 4},
                                                        "project": {"any": 1}}, level="cache"),
            "config set what is not allowed": lambda: config.set("port", "x", scope="global"),
            "config unset nothing": lambda: config.unset("any", scope="local", **FAST),
            "config preview": lambda: config.preview("port", 5, scope="local"),
            "config preview of wrong": lambda: config.preview("port", "", scope="local"),
            "config path": lambda: config.path("project"),
            "config path of none": lambda: homeless.path("global"),
            "config ignored": lambda: config.ignored,
        }

    def package(self):
        return {**self.whole_files(), **self.documents(), **self.sets_and_locks(),
                **self.configurations()}

    # ---- of the extension itself ----

    def direct(self):
        """{name: [arguments]}: what the calls through the package hand to each function. How these
        end is in self.ends: {name: {True, False}}."""
        given, self.ends = {}, {}
        real = {name: getattr(_untorn, name) for name in function_names()}

        def recording(name):
            def record(*arguments):
                given.setdefault(name, []).append(arguments)
                ends = self.ends.setdefault(name, set())
                try:
                    result = real[name](*arguments)
                except Exception:
                    ends.add(False)
                    raise
                ends.add(True)
                return result
            return record

        for name in real:
            setattr(_untorn, name, recording(name))
        try:
            for call in self.package().values():
                attempt(call)
        finally:
            for name, function in real.items():
                setattr(_untorn, name, function)
        return given

    def spoiled(self, given):
        """One call for each function: all its arguments spoiled, one at a time."""
        def call(function, all_arguments):
            def spoil():
                attempt(function)
                attempt(lambda: function(*range(20)))
                for arguments in all_arguments:
                    for wrong in spoils(arguments):
                        attempt(lambda wrong=wrong: function(*wrong))
            return spoil
        return {f"{name} with wrong arguments": call(getattr(_untorn, name), different(tried))
                for name, tried in given.items()}

    def without_memory(self, given, python_too):
        """One call for each function: each of its first allocations fails, and none else. Where
        functions in Python run, exceptions' too, a debug build of Python ends itself."""
        def call(function, all_arguments):
            def starve():
                for arguments in all_arguments:
                    if not python_too and (has_function(arguments) or
                                           not attempt(lambda: function(*arguments))):
                        continue
                    for number in range(1, 40):
                        attempt(lambda: starved(function, arguments, number))
            return starve
        return {f"{name} without memory": call(getattr(_untorn, name), different(tried))
                for name, tried in given.items()}

    def interrupted(self):
        """Slow ones: a signal whose handler raises arrives while a lock is waited for."""
        def call(function):
            def interrupt():
                old = signal.signal(signal.SIGALRM, fail)
                signal.setitimer(signal.ITIMER_REAL, 0.001)
                try:
                    function()
                finally:
                    signal.signal(signal.SIGALRM, old)
            return interrupt
        return {
            "lock, interrupted": call(lambda: untorn.Lock("held.json").acquire()),
            "set, interrupted": call(lambda: untorn.set("held.json", "a", 1)),
        }


def starved(function, arguments, number):
    """The same with one allocation of Python's that fails."""
    _testcapi.set_nomemory(number, number + 1)
    try:
        return function(*arguments)
    except SystemError as error:
        # The interpreter says it of a function in Python, too, that it had no memory to begin.
        if "built-in function" in str(error):
            raise
    finally:
        _testcapi.remove_mem_hooks()


def function_names():
    return [name for name in dir(_untorn) if callable(getattr(_untorn, name)) and name[0] != "_"]


def different(all_arguments):
    """One for each shape: others would only be the same again."""
    return list({shape(arguments): arguments for arguments in all_arguments}.values())


def shape(value):
    if isinstance(value, tuple):
        return tuple(map(shape, value[:4])), len(value)
    return type(value)


def has_function(value):
    return callable(value) or isinstance(value, tuple) and any(map(has_function, value))


def spoils(value):
    """Copies of a tuple, in each of which one item, at any depth, is of a type that nothing is."""
    for place, item in enumerate(value):
        inner = [fail] if not isinstance(item, tuple) else [fail, *spoils(item)]
        for wrong in inner:
            yield (*value[:place], wrong, *value[place + 1:])
        if isinstance(item, bytes):
            yield (*value[:place], b"a\0b", *value[place + 1:])
