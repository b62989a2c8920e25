#!/usr/bin/python3
# run: budget 20
"""Settings that threads and processes write at once: none is lost, and no comment."""

import contextlib
import os
import shutil
from pathlib import Path
from unittest import mock

from support import main, untorn
from programs import (SPARSE, UNHURRIED, ProgramCase, after_all, files, joined_everywhere,
                      killed_everywhere, load, processes, shows, threads)

OLD = """\
# The settings of the house.
debug = false # loud

[server]
port = 8001 # behind a proxy
"""
PATH = Path("config/global.toml")


class Sessions:
    """One variant of the program, in the folder `config`."""

    def __init__(self, variant):
        self.module = load(variant, "config_service")
        self.service = self.module.ConfigService("config")
        self.locks = variant == "after"
        # Who waits for no lock can be waited for.
        self.patience = 0.02 if self.locks else UNHURRIED

    def prepare(self):
        shutil.rmtree("config", ignore_errors=True)
        os.mkdir("config")
        PATH.write_text(OLD.replace("8001", "8000"))
        self.service.set_value("server.port", 8001)

    # ---- one who is killed ----

    def judge(self, *texts):
        """The file is one of these; the next write works, and clears up."""
        found = PATH.read_text()
        assert found in texts, f"torn: {len(found)} bytes"
        self.service.set_value("debug", True)
        assert PATH.read_text() == found.replace("debug = false", "debug = true"), \
            "the next write does not work"
        shows("config", "global.toml")

    def killed(self, act, new):
        return killed_everywhere(self.prepare, lambda _: act(self.service),
                                 lambda: self.judge(OLD, new))

    # ---- two ----

    def joined(self, key, step=1):
        """Two set a value: at each call of the one, the other comes in between."""
        wanted = {"a": "mine yours"} if key == "a" else {"a": "mine", key: "yours"}

        def judge(_):
            found = self.service.read_config()
            for name, values in wanted.items():
                assert found.get(name) in values.split(), f"{name} is lost"
        return joined_everywhere(self.prepare, lambda _: self.service.set_value("a", "mine"),
                                 lambda: self.service.set_value(key, "yours"), judge,
                                 self.patience, step)

    # ---- many ----

    def gathered(self, barrier):
        """Without locks, all have loaded when the first one saves: each must be the only one."""
        if self.locks:
            return contextlib.nullcontext()
        tomlkit = self.module.tomlkit
        return mock.patch.object(tomlkit, "load", after_all(barrier, tomlkit.load))

    def crowd(self, crowd, rounds):
        """How many values of how many are there after all have set theirs at once."""
        run, barrier = crowd
        self.prepare()

        def work(number):
            for i in range(rounds):
                self.service.set_value(f"writer-{number:02}.key-{i}", i)
                if i > 0:
                    self.service.set_value("last", number)
        with self.gathered(barrier):
            count = len(run(work))
        found = self.service.read_config()
        kept = sum(len(values) for name, values in found.items() if name.startswith("writer-"))
        self.judge(PATH.read_text())
        return kept, count * rounds

    def counted(self, crowd, rounds):
        """The same of a counter, which is read and set in one step, by calls that nest."""
        run, barrier = crowd
        self.prepare()

        def step():
            with untorn.Lock(PATH) if self.locks else contextlib.nullcontext():
                number = self.service.read_config().get("n", 0) + 1
                self.service.set_value("n", number)
                if self.locks:
                    self.service.write_config({"seen": {str(number): True}})

        def work(_):
            for _ in range(rounds):
                step()
        with self.gathered(barrier):
            count = len(run(work))
        return self.service.read_config()["n"], count * rounds


class Values(dict):
    """Values that write a value of their own when they are looked at."""

    def __init__(self, values, write):
        super().__init__(values)
        self.write = write

    def items(self):
        write, self.write = self.write, lambda: None
        write()
        return super().items()


def set_port(service):
    service.set_value("server.port", 9000)


def write_several(service):
    service.write_config({"server": {"port": 9000, "host": "here"}, "new": {"a": [1, 2]}})


WRITES = {
    set_port: OLD.replace("8001", "9000"),
    write_several: OLD.replace("8001", "9000") + 'host = "here"\n\n[new]\na = [1, 2]\n',
}


class Config(ProgramCase):
    def test_a_write_that_is_killed_anywhere_leaves_a_whole_file_with_its_comments(self):
        for act, new in WRITES.items():
            calls, problems = Sessions("after").killed(act, new)
            self.assertEqual(problems, [])
            self.assertGreater(calls, 20)
            print(f"    killed at each of {calls} calls of {act.__name__}")

    def test_a_file_that_is_rewritten_is_caught(self):
        for act, new in WRITES.items():
            _, problems = Sessions("before").killed(act, new)
            self.assertFound(problems, "torn: 0 bytes")

    def test_who_comes_in_between_erases_nothing(self):
        for key, step in (("b", 1), ("a", SPARSE)):
            calls, problems = Sessions("after").joined(key, step)
            self.assertEqual(problems, [])
            self.assertGreater(calls, 5)
        _, problems = Sessions("before").joined("b")
        self.assertFound(problems, "b is lost")

    def test_of_many_writers_at_once_none_is_lost(self):
        for crowd, rounds in ((processes(16), 6), (threads(16), 6)):
            kept, written = Sessions("after").crowd(crowd, rounds)
            self.assertEqual(kept, written)
        for crowd in (processes(16), threads(16)):
            kept, written = Sessions("before").crowd(crowd, 1)
            self.assertLess(kept, written)

    def test_a_write_inside_a_write_ends_and_both_are_there(self):
        for variant, kept in (("after", True), ("before", False)):
            sessions = Sessions(variant)
            sessions.prepare()
            service = sessions.service
            service.write_config(Values({"outer": 1}, lambda: service.write_scoped_config(
                "global", Values({"middle": 1}, lambda: service.set_value("inner", 1)))))
            self.assertEqual({"inner", "middle"} <= service.read_config().keys(), kept)
            self.assertEqual(service.read_config()["outer"], 1)

    def test_writes_nest_in_the_lock_of_the_file(self):
        for crowd, rounds in ((processes(16), 4), (threads(8), 4)):
            counted, steps = Sessions("after").counted(crowd, rounds)
            self.assertEqual(counted, steps)
        self.assertEqual(Sessions("before").counted(processes(16), 1), (1, 16))

    def test_a_write_goes_to_one_scope(self):
        sessions = Sessions("after")
        sessions.prepare()
        sessions.service.set_value("a.b", [1, "two", True], scope="project")
        sessions.service.write_scoped_config("local", {"a": {"b": 1.5}})
        self.assertEqual(files("config"), {
            "global.toml": OLD.encode(), "project.toml": b'[a]\nb = [1, "two", true]\n',
            "local.toml": b"[a]\nb = 1.5\n"})

    def test_what_toml_does_not_have_changes_nothing(self):
        sessions = Sessions("after")
        sessions.prepare()
        for write in (lambda: sessions.service.set_value("a", object()),
                      lambda: sessions.service.write_config({"debug": True, "a": object()})):
            with self.assertRaises(TypeError):
                write()
        self.assertEqual(PATH.read_text(), OLD)

    def test_a_damaged_file_is_told_and_left(self):
        for content in (b"[server\n", OLD.encode()[:-20] + b"\0" * 20):
            sessions = Sessions("after")
            sessions.prepare()
            PATH.write_bytes(content)
            for call in (sessions.service.read_config, lambda: set_port(sessions.service)):
                with self.assertRaises(untorn.DamagedError) as caught:
                    call()
                self.assertIn(b"# loud", caught.exception.last_good)
            self.assertEqual(PATH.read_bytes(), content)


if __name__ == "__main__":
    main()
