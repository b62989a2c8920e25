#!/usr/bin/python3
# run: budget 20
"""Configurations in scopes: what counts, where it comes from, and many who write."""

import datetime
import os
import threading
from pathlib import Path
from unittest import mock

from support import Case, end, forks, holder, main, start, untorn
from untorn._config import packed_environment

SCHEMA = """
env_prefix = "AGENTS"
[[key]]
name = "server.port"
description = "where it listens"
default = 8000
max = 65535
type = "integer"
[[key]]
name = "auth.token"
scopes = ["global"]
secret = true
type = "string"
[[key]]
name = "free"
type = "table"
"""
PATHS = {"global": "g.toml", "project": "p.toml", "local": "l.toml"}
FAST = {"level": "cache"}


def config(**how):
    return untorn.Config("agents", **{"paths": PATHS, "environment": {}, **how})


class Reading(Case):
    def test_the_highest_scope_decides_and_is_named(self):
        self.put("g.toml", "port = 1\nhost = 'a'\n")
        self.put("p.toml", "# ours\nport = 2\n")
        made = config()
        self.assertEqual((made["port"], made["host"]), (2, "a"))
        origin = made.origin("port")
        self.assertEqual(origin, ("project", str(Path("p.toml").absolute()), None, 2, 1))
        self.assertEqual(made.origin("host").scope, "global")
        self.assertEqual(made.items(), [("port", 2), ("host", "a")])
        self.assertEqual(list(made), ["port", "host"])

    def test_tables_are_merged_and_everything_is_one_dict(self):
        self.put("g.toml", "[s]\na = 1\nlist = [1, 2]\n")
        self.put("p.toml", "[s]\nb = 2\nlist = [3]\n")
        made = config(overrides={"s.c": True})
        whole = {"s": {"a": 1, "b": 2, "c": True, "list": [3]}}
        self.assertEqual(made.as_dict(), whole)
        self.assertEqual(made["s"], whole["s"])
        self.assertEqual(made.origin("s.c").scope, "override")

    def test_values_have_their_types(self):
        self.put("g.toml", "i = 1\nf = 1.0\nb = true\ns = 'x'\nd = 2020-01-02\n"
                           "t = 2020-01-02T03:04:05Z\na = [1, {x = 2}]\n")
        self.put("p.json", '{"nothing": null, "number": 1e2}')
        made = config(paths={**PATHS, "project": "p.json"})
        utc = datetime.timezone.utc
        self.assertEqual(made.as_dict(), {
            "i": 1, "f": 1.0, "b": True, "s": "x", "d": datetime.date(2020, 1, 2),
            "t": datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=utc), "a": [1, {"x": 2}],
            "nothing": None, "number": 100.0})
        self.assertIs(type(made["f"]), float)
        self.assertIs(type(made["i"]), int)
        self.assertIn("nothing", made)

    def test_a_key_that_no_scope_has(self):
        made = config()
        self.assertEqual(made.get("x", 7), 7)
        self.assertIsNone(made.get("x", None))
        self.assertNotIn("x", made)
        self.assertEqual(made.as_dict(), {})
        with self.assertRaises(KeyError) as caught:
            made["x"]
        self.assertIsInstance(caught.exception, untorn.NoKeyError)
        self.put("g.toml", '["a.b"]\n"c d" = 1\n')
        self.assertEqual(made[["a.b", "c d"]], 1)
        self.assertEqual(made[made.entries()[0].key], 1)

    def test_the_environment_may_be_that_of_the_process(self):
        with mock.patch.dict(os.environ, {"AGENTS_SERVER_PORT": "7001"}):
            for environment in (packed_environment(None), None):
                with mock.patch("untorn._config.packed_environment", lambda _: environment):
                    made = config(schema_text=SCHEMA)
                self.assertEqual(made["server.port"], 7001)

    def test_the_environment_and_its_variable(self):
        made = config(schema_text=SCHEMA, environment={"AGENTS_SERVER_PORT": "7000"})
        self.assertEqual(made["server.port"], 7000)
        self.assertEqual(made.origin("server.port"),
                         ("environment", None, "AGENTS_SERVER_PORT", 0, 0))
        os.environ["AGENTS_SERVER_PORT"] = "6000"
        self.addCleanup(os.environ.pop, "AGENTS_SERVER_PORT")
        self.assertEqual(untorn.Config("agents", schema_text=SCHEMA, paths=PATHS)["server.port"],
                         6000)
        self.assertEqual(config(schema_text=SCHEMA)["server.port"], 8000)

    def test_files_are_looked_for_and_what_others_write_is_seen(self):
        Path("home/agents").mkdir(parents=True)
        Path("project/.agents").mkdir(parents=True)
        Path("project/deep").mkdir()
        self.put("project/.agents/config.toml", "x = 1\n")
        made = untorn.Config("agents", directory="project/deep",
                             environment={"XDG_CONFIG_HOME": os.path.abspath("home")})
        self.assertEqual(made["x"], 1)
        self.assertEqual(Path(made.path("local")),
                         Path("project/.agents/config.local.toml").resolve())
        self.assertEqual(made.ignored, [])
        end(start("untorn.set(sys.argv[1], 'x', 2)", made.path("local")))
        self.assertEqual(made["x"], 2)
        self.put("home/agents/config.toml", "y = 3\n")
        self.assertEqual(made.items(), [("y", 3), ("x", 2)])

    def test_a_damaged_file_fails_every_reading_and_is_named(self):
        self.put("p.toml", "x = \n")
        made = config()
        for call in (lambda: made["y"], made.entries, made.as_dict):
            with self.assertRaises(untorn.DamagedError) as caught:
                call()
            self.assertEqual(Path(caught.exception.path), Path("p.toml").absolute())
        finding, = made.check()
        self.assertEqual((finding.status, finding.origin.scope), ("DAMAGED", "project"))

    def test_wrong_calls(self):
        for wrong in ({"paths": {"globe": "x"}}, {"schema": "a", "schema_text": "b"},
                      {"format": "yaml"}, {"paths": {"environment": "x"}}):
            with self.assertRaises(ValueError):
                config(**wrong)
        with self.assertRaises(TypeError):
            config(environment=["A=1"])
        with self.assertRaises(untorn.UsageError):
            untorn.Config("../etc")
        with self.assertRaises(untorn.MissingError):
            config(schema="not-there.toml")
        with self.assertRaises(untorn.UsageError):
            config(schema_text=SCHEMA, overrides={"server.port": "x"})
        made = config()
        for wrong in (3, None):
            with self.assertRaises(TypeError):
                made[wrong]
        with self.assertRaises(ValueError):
            made.path("here")
        for wrong in (lambda: made.set("x", 1, scope="default"),
                      lambda: made.unset("x", scope="override"),
                      lambda: made.preview("x", 1, scope="environment")):
            with self.assertRaises(ValueError):
                wrong()
        with self.assertRaises(TypeError):
            made.set("x", scope="global")


class Writing(Case):
    def test_one_file_is_changed_and_its_comments_stay(self):
        self.put("g.toml", "debug = false # yet\n# mine\n[server]\nport = 1 # proxy\n")
        made = config()
        made.set("server.port", 8080, scope="global")
        made.set({"server.host": "h", "debug": True}, scope="global")
        made.set(["a.b", "c"], [1.5, "x"], scope="local")
        self.check("g.toml", 'debug = true # yet\n# mine\n[server]\n'
                   'port = 8080 # proxy\nhost = "h"\n')
        self.assertEqual(made[["a.b", "c"]], [1.5, "x"])
        self.assertFalse(Path("p.toml").exists())
        made.unset("server.host", "debug", scope="global")
        self.check("g.toml", "# mine\n[server]\nport = 8080 # proxy\n")
        with self.assertRaises(untorn.NoKeyError):
            made.unset("server.port", "nothing", scope="global")
        self.assertEqual(made["server.port"], 8080)

    def test_several_scopes_change_together(self):
        self.put("l.toml", "broken")
        made = config()
        with self.assertRaises(untorn.DamagedError):
            made.set_in({"global": {"a": 1}, "local": {"b": 2}})
        self.assertFalse(Path("g.toml").exists())
        Path("l.toml").unlink()
        made.set_in({"global": {"a": 1}, "local": {"b": 2, "c.d": "x"}})
        self.assertEqual(made.as_dict(), {"a": 1, "b": 2, "c": {"d": "x"}})
        made.set_in({})
        self.check("g.toml", "a = 1\n")

    def test_the_schema_is_asked_first(self):
        made = config(schema_text=SCHEMA)
        for key, value, scope in (("sever.port", 1, "global"), ("server.port", "x", "global"),
                                  ("server.port", 70000, "global"),
                                  ("auth.token", "x", "project")):
            with self.assertRaises(untorn.UsageError) as caught:
                made.set(key, value, scope=scope)
            self.assertEqual(caught.exception.status, "NOT_ALLOWED")
        self.assertEqual([Path(file).exists() for file in PATHS.values()], [False] * 3)
        made.set("free.a.b", 1, scope="project")
        self.put("schema.toml", SCHEMA)
        self.assertEqual(config(schema="schema.toml")["free"], {"a": {"b": 1}})

    def test_what_does_not_fit_is_told_and_not_answered(self):
        self.put("p.toml", "[server]\nport = 'x'\n")
        made = config(schema_text=SCHEMA)
        with self.assertRaises(untorn.DamagedError) as caught:
            made["server.port"]
        self.assertEqual(caught.exception.status, "MISFIT")
        entry = next(entry for entry in made.entries() if entry.key == "server.port")
        self.assertEqual((entry.value, entry.description), ("x", "where it listens"))
        self.assertIn("integer", entry.misfit)
        finding, = made.check()
        self.assertEqual((finding.status, finding.origin.line), ("MISFIT", 2))

    def test_a_secret_is_closed_and_in_no_repr(self):
        made = config(schema_text=SCHEMA)
        made.set("auth.token", "s3cret", scope="global")
        self.check_mode("g.toml", 0o600)
        entry = next(entry for entry in made.entries() if entry.secret)
        self.assertEqual((entry.key, entry.value), ("auth.token", "s3cret"))
        self.assertNotIn("s3cret", repr(entry))
        self.assertIn("********", repr(entry))
        self.assertIn("8000", repr(made.entries()))

    def test_a_preview_writes_nothing(self):
        self.put("g.toml", "# a\n")
        made = config()
        self.assertEqual(made.preview("x", 1, scope="global"), "# a\n\nx = 1\n")
        self.assertEqual(made.preview({"x": 1}, scope="local"), "x = 1\n")
        self.check("g.toml", "# a\n")
        with self.assertRaises(untorn.UsageError):
            config(schema_text=SCHEMA).preview("y", 1, scope="global")

    def test_json_files(self):
        Path("home").mkdir()
        made = untorn.Config("agents", format="json",
                             environment={"XDG_CONFIG_HOME": os.path.abspath("home")})
        made.set({"a": 1, "b.c": None}, scope="global")
        self.assertEqual(untorn.read_json("home/agents/config.json"), {"a": 1, "b": {"c": None}})
        self.assertEqual(made.as_dict(), {"a": 1, "b": {"c": None}})

    def test_a_lock_that_is_held_is_waited_for_as_long_as_said(self):
        made = config()
        other = holder("g.toml")
        with self.assertRaises(untorn.LockTimeout) as caught:
            made.set("a", 1, scope="global", timeout=0.05)
        self.assertIn(str(other.pid), caught.exception.detail)
        end(other)
        made.set("a", 1, scope="global", timeout=0)


class Many(Case):
    def test_sixteen_processes_lose_nothing(self):
        code = """
            made = untorn.Config("agents", paths={"global": "g.toml"}, environment={})
            for n in range(20):
                made.set(f"p{sys.argv[1]}.n{n}", n, scope="global", timeout=100)
        """
        self.put("g.toml", "# kept\n")
        for process in [start(code, number) for number in range(16)]:
            end(process)
        everything = config().as_dict()
        self.assertEqual(everything, {f"p{p}": {f"n{n}": n for n in range(20)}
                                      for p in range(16)})
        self.assertTrue(Path("g.toml").read_text().startswith("# kept\n"))

    def test_threads_share_one_object(self):
        made, errors = config(), []

        def work(number):
            try:
                for n in range(25):
                    made.set(f"t{number}.n{n}", n, scope="local", timeout=100, **FAST)
                    if made[f"t{number}.n{n}"] != n or made.origin(f"t{number}").line == 0:
                        errors.append((number, n))
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        self.assertEqual(made.as_dict(), {f"t{t}": {f"n{n}": n for n in range(25)}
                                          for t in range(8)})

    def test_who_reads_does_not_wait_for_one_who_waits(self):
        self.put("g.toml", "a = 1\n")
        made, other = config(), holder("g.toml")
        ended = []
        writer = threading.Thread(target=lambda: (made.set("a", 2, scope="global"),
                                                  ended.append(True)))
        writer.start()
        for _ in range(50):
            self.assertEqual(made["a"], 1)
        with self.assertRaises(untorn.LockTimeout):
            for _ in range(10000):  # until it is the turn of the other thread
                made.set("b", 3, scope="local", timeout=0, **FAST)
        self.assertEqual(ended, [])
        end(other)
        writer.join()
        self.assertEqual(made["a"], 2)

    @forks
    def test_a_child_after_a_fork_goes_on(self):
        made = config()
        made.set("parent", 1, scope="global", **FAST)
        os.mkdir("elsewhere")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.chdir("elsewhere")
                made.set("child", made["parent"] + 1, scope="global", **FAST)
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(made.as_dict(), {"parent": 1, "child": 2})


if __name__ == "__main__":
    main()
