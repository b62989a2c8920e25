#!/usr/bin/python3
# run: budget 20
"""Several files that change together."""

import asyncio
import contextvars
import datetime
import os
import signal
import sys
import threading
import time
import unittest
from pathlib import Path

from support import Case, end, holder, interrupts, main, start, untorn


class Transactions(Case):
    def test_all_files_change_at_the_end_of_the_block(self):
        self.put("old", "x")
        self.put("app.toml", "a = 1 # one\nb = 2\n")
        untorn.write_json("n.json", 1)
        with untorn.transaction() as t:
            t.write_json("a.json", {"a": 1})
            t.write_text("sub/b.txt", "é\n", newline="")
            t.write_bytes("c", b"\0\1")
            t.set("app.toml", "a", 5)
            t.unset("app.toml", "b")
            t.merge("m.json", {"x": {"y": 1}})
            t.update("n.json", lambda n: n + 1)
            t.remove("old")
            self.assertEqual(sorted(os.listdir(".")), [".untorn", "app.toml", "n.json", "old"])
        self.check("a.json", '{\n  "a": 1\n}')
        self.check("sub/b.txt", "é\n")
        self.check("c", b"\0\1")
        self.check("app.toml", "a = 5 # one\n")
        self.assertEqual((untorn.read_json("m.json"), untorn.read_json("n.json")),
                         ({"x": {"y": 1}}, 2))
        self.assertFalse(os.path.exists("old"))
        self.assertEqual(untorn.read_set(["c", "old"]), [b"\0\1", None])

    def test_an_exception_changes_nothing(self):
        for error in (RuntimeError, KeyboardInterrupt, SystemExit):
            with self.assertRaises(error):
                with untorn.transaction() as t:
                    t.write_json("a.json", 1)
                    raise error
        self.assertEqual(os.listdir("."), [])
        with self.assertRaises(FileNotFoundError):
            with untorn.transaction() as t:
                t.write_json("a.json", 1)
                t.remove("missing")
        with self.assertRaisesRegex(RuntimeError, "mine"):
            with untorn.transaction() as t:
                t.write_json("a.json", 1)

                def fail(_):
                    raise RuntimeError("mine")
                t.update("b.json", fail)
        self.assertFalse(os.path.exists("a.json"))

    def test_a_block_inside_edits_what_it_read(self):
        self.put("app.toml", "a = 1 # one\n")
        with untorn.transaction() as t:
            with t.edit("app.toml") as document:
                document["a"] = 2
            with t.edit("new.json") as document:
                document["b"] = 3
            with t.edit("unchanged.json"):
                pass
        self.check("app.toml", "a = 2 # one\n")
        self.assertEqual(untorn.read_json("new.json"), {"b": 3})
        self.assertFalse(os.path.exists("unchanged.json"))
        with self.assertRaises(untorn.ChangedError):
            with untorn.transaction() as t:
                with t.edit("app.toml") as document:
                    document["a"] = 4
                t.write_json("new.json", 4)
                self.put("app.toml", "a = 3\n")
        self.assertEqual(untorn.read_json("new.json"), {"b": 3})

    def test_a_block_inside_goes_on_from_what_came_before_it(self):
        self.put("app.toml", "a = 1 # one\n")
        self.put("n.json", "1")
        self.put("old.json", "[]")
        with untorn.transaction() as t:
            t.set("app.toml", "b", 2)
            for key, value in ("c", 3), ("d", 4):
                with t.edit("app.toml") as document:
                    document[key] = value
            t.set("app.toml", "e", 5)
            t.write_json("new.json", {"a": 1}, mode=0o600)
            with t.edit("new.json") as document:
                document["b"] = 2
            t.update("n.json", lambda n: {"n": n})
            with t.edit("n.json") as document:
                document["m"] = 2
            t.remove("old.json")
            with t.edit("old.json", default={"new": 1}) as document:
                document["b"] = 2
        self.check("app.toml", "a = 1 # one\nb = 2\nc = 3\nd = 4\ne = 5\n")
        self.assertEqual(untorn.read_json("new.json"), {"a": 1, "b": 2})
        self.check_mode("new.json", 0o600)
        self.assertEqual(untorn.read_json("n.json"), {"n": 1, "m": 2})
        self.assertEqual(untorn.read_json("old.json"), {"new": 1, "b": 2})

    def test_what_was_read_must_still_be_there_whatever_is_added(self):
        def edit(t, key):
            with t.edit("app.toml") as document:
                document[key] = 2

        for late in (lambda t: t.set("app.toml", "z", 3), lambda t: edit(t, "z"),
                     lambda t: t.update("app.toml", lambda old: {**old, "z": 3})):
            self.put("app.toml", "a = 1\n")
            with self.assertRaises(untorn.ChangedError):
                with untorn.transaction() as t:
                    edit(t, "x")
                    self.put("app.toml", "a = 1\nother = 1\n")
                    late(t)
            self.check("app.toml", "a = 1\nother = 1\n")
        with untorn.transaction() as t:
            t.write_text("app.toml", "b = 1\n")
            edit(t, "x")
            self.put("app.toml", "a = 3\n")
        self.check("app.toml", "b = 1\nx = 2\n")

    def test_what_is_for_all_files_cannot_be_said_of_one(self):
        for option in ({"keep": 5}, {"level": "cache"}, {"timeout": 1}, {"strict": True},
                       {"state_dir": "state"}, {"lock_file": "lock"}):
            with self.assertRaisesRegex(TypeError, next(iter(option))):
                with untorn.transaction() as t:
                    t.write_text("a", "1")
                    t.set("b.json", "b", 1, **option)
        self.assertEqual(os.listdir("."), [])

    def test_readers_never_see_a_mixture_though_writers_are_killed(self):
        names = ["a.json", "sub/b.json"]
        with untorn.transaction() as t:
            for name in names:
                t.write_json(name, 0)
        for _ in range(5):
            process = start("""
                print("go", flush=True)
                for i in range(10000):
                    with untorn.transaction() as t:
                        t.write_json("a.json", i)
                        t.write_json("sub/b.json", i)
            """)
            process.stdout.readline()
            for _ in range(20):
                one, other = untorn.read_set(names)
                self.assertEqual(one, other)
            process.kill()
            process.communicate()
            one, other = untorn.read_set(names)
            self.assertEqual(one, other)

    @unittest.skipUnless(sys.platform == "linux", "needs a file that is never of its size")
    def test_a_set_that_comes_to_rest_late_is_waited_for(self):
        os.symlink("/proc/version", "a")
        self.put("b", "x")
        with self.assertRaises(untorn.Error) as caught:
            untorn.read_set(["a", "b"], timeout=0.3)
        self.assertEqual(caught.exception.status, "RESTLESS")

        def settle():
            self.put("new", "y")
            os.replace("new", "a")
        timer = threading.Timer(1, settle)
        timer.start()
        self.assertEqual(untorn.read_set(["a", "b"], timeout=100), [b"y", b"x"])
        timer.join()

    def test_two_who_add_to_both_files_lose_nothing(self):
        code = """
            for i in range(20):
                with untorn.transaction() as t:
                    t.update("a.json", lambda n: (n or 0) + 1)
                    t.update("b.json", lambda n: (n or 0) - 1)
        """
        for process in [start(code) for _ in range(3)]:
            end(process)
        self.assertEqual((untorn.read_json("a.json"), untorn.read_json("b.json")), (60, -60))

    @interrupts
    def test_ctrl_c_ends_the_wait_for_a_commit(self):
        process = holder("b.json")
        waiting = start("""
            print("go", flush=True)
            try:
                with untorn.transaction() as t:
                    t.write_json("a.json", 1)
                    t.write_json("b.json", 1)
            except KeyboardInterrupt:
                print("interrupted")
        """)
        waiting.stdout.readline()
        time.sleep(0.3)
        waiting.send_signal(signal.SIGINT)
        self.assertEqual(end(waiting), "interrupted\n")
        with self.assertRaises(untorn.LockTimeout):
            with untorn.transaction(timeout=0.1) as t:
                t.write_json("a.json", 1)
                t.write_json("b.json", 1)
        self.assertFalse(os.path.exists("a.json"))
        end(process)

    def test_a_set_is_read_as_what_it_is(self):
        with untorn.transaction() as t:
            t.write_json("a.json", {"é": 1.5})
            t.write_json("b.json", [])
        self.assertEqual(untorn.read_set(["a.json", "b.json", "c.json"], format="json"),
                         [{"é": 1.5}, [], None])
        self.assertEqual(untorn.read_set(["b.json"], format="text"), ["[]"])
        self.put("t.toml", "a = 1979-05-27")
        self.assertEqual(untorn.read_set(["t.toml"], format="toml"),
                         [{"a": datetime.date(1979, 5, 27)}])
        with self.assertRaises(ValueError):
            untorn.read_set(["b.json"], format="xml")

    def test_a_damaged_file_of_a_set_is_told_as_such(self):
        for value in (1, 2):
            untorn.write_json("a.json", value)
        self.put("a.json", "{")
        with self.assertRaises(untorn.DamagedError) as caught:
            untorn.read_set(["a.json"], format="json")
        self.assertEqual(caught.exception.verdict, "truncated")
        self.assertEqual(caught.exception.last_good, b"1")
        self.assertEqual(type(caught.exception).__module__, "untorn")

    def test_a_mixed_set_is_told_with_its_contents(self):
        for value in (1, 2):
            with untorn.transaction() as t:
                t.write_json("a.json", value)
                t.write_json("b.json", value)
        self.put("a.json", "1")
        with self.assertRaises(untorn.MixedError) as caught:
            untorn.read_set(["a.json", "b.json"])
        self.assertEqual(caught.exception.contents, [b"1", b"2"])

    def test_a_file_moves_over_another(self):
        untorn.write_text("new", "x", mode=0o640)
        self.put("old", "y")
        untorn.replace("new", "old")
        self.check("old", "x")
        self.assertFalse(os.path.exists("new"))
        self.check_mode("old", 0o640)
        with self.assertRaises(FileNotFoundError):
            untorn.replace("new", "old")
        with self.assertRaises(FileNotFoundError):
            untorn.replace("old", "no/folder", parents=False)
        self.check("old", "x")

    def test_a_file_that_moves_keeps_as_many_versions_as_it_is_told(self):
        for i in range(4):
            untorn.write_text("new", str(i))
            untorn.replace("new", "a", keep=3, state_dir="state")
        self.assertEqual(len(untorn.history("a", state_dir="state")), 3)


class Joining(Case):
    """What the block writes by the module's own calls."""

    def setUp(self):
        super().setUp()
        self.put("n.json", '{"a": 1}')
        self.put("other", "old")

    def join(self, call, text='{"a": 2}'):
        """The members after a call in the block, which itself changes nothing yet."""
        with untorn.transaction() as t:
            t.write_text("n.json", text)
            t.write_text("other", "new")
            call()
            self.check("n.json", '{"a": 1}')
            self.check("other", "old")
        self.check("other", "new")
        self.put("other", "old")
        text = Path("n.json").read_text()
        self.put("n.json", '{"a": 1}')
        return text

    def test_every_call_that_writes_a_member_joins(self):
        def edit():
            with untorn.edit("n.json") as document:
                document["b"] = 3

        for call, made in (
                (lambda: untorn.write_bytes("n.json", b"x"), "x"),
                (lambda: untorn.write_text("n.json", "x"), "x"),
                (lambda: untorn.write_json("n.json", [5]), "[\n  5\n]"),
                (lambda: untorn.set("n.json", "a", 3), '{"a": 3}'),
                (lambda: untorn.unset("n.json", "a"), "{}"),
                (lambda: untorn.merge("n.json", {"a": 3}), '{"a": 3}'),
                (lambda: untorn.patch("n.json", [
                    {"op": "replace", "path": "/a", "value": 3}]), '{"a": 3}'),
                (lambda: untorn.update("n.json", lambda old: {"a": old["a"] + 1}), '{"a": 3}'),
                (lambda: untorn.update("n.json", lambda old: None), '{"a": 2}'),
                (lambda: untorn.update("n.json", str.upper, format="text"), '{"A": 2}'),
                (edit, '{"a": 2, "b": 3}')):
            self.assertEqual(self.join(call), made)
        self.assertEqual(Path("n.json").read_text(), '{"a": 1}')

    def test_another_file_does_not_join(self):
        with untorn.transaction() as t:
            t.write_text("n.json", "x")
            untorn.write_text("alone", "1")
            self.check("alone", "1")
            untorn.set("alone.json", "a", 1)
            self.assertEqual(untorn.get("alone.json", "a"), 1)
        untorn.write_text("n.json", "after it")
        self.check("n.json", "after it")

    def test_a_member_is_known_by_the_file_not_by_the_path(self):
        os.mkdir("folder")
        for path in "./n.json", "folder/../n.json", os.path.abspath("n.json"), b"n.json":
            self.assertEqual(self.join(lambda: untorn.write_text(path, "x")), "x")

    @unittest.skipIf(sys.platform == "win32", "links need a privilege there")
    def test_links_are_followed_as_the_call_says(self):
        os.symlink("n.json", "link")
        os.symlink(".", "here")
        self.assertEqual(self.join(lambda: untorn.write_text("link", "x")), "x")
        self.assertTrue(os.path.islink("link"))
        self.assertEqual(self.join(lambda: untorn.write_text("here/n.json", "x")), "x")
        self.assertEqual(self.join(lambda: untorn.write_text("link", "x", symlink="replace")),
                         '{"a": 2}')
        self.assertFalse(os.path.islink("link"))

    def test_a_call_goes_on_from_what_the_member_would_become(self):
        calls = []

        def add(old):
            calls.append(old["a"])
            return {**old, "b": old["a"] + 1}

        with untorn.transaction() as t:
            t.set("n.json", "a", 5)
            untorn.update("n.json", add)
            self.assertEqual(calls, [5])
            untorn.set("n.json", "c", 7)
            with t.edit("n.json") as document:
                document["d"] = 8
        self.assertEqual(calls, [5])
        self.assertEqual(untorn.read_json("n.json"), {"a": 5, "b": 6, "c": 7, "d": 8})

    def test_what_was_read_must_still_be_there(self):
        for call in (lambda: untorn.set("n.json", "b", 2),
                     lambda: untorn.update("n.json", lambda old: {**old, "b": 2})):
            self.put("n.json", '{"a": 1}')
            with self.assertRaises(untorn.ChangedError):
                with untorn.transaction() as t:
                    t.set("n.json", "a", 5)
                    call()
                    self.put("n.json", '{"a": 3}')
            self.check("n.json", '{"a": 3}')
        with self.assertRaises(untorn.ExistsError):
            with untorn.transaction() as t:
                t.update("made.json", lambda old: old)
                untorn.set("made.json", "a", 1)
                self.put("made.json", "{}")
        self.check("made.json", "{}")

    def test_what_fails_fails_at_once_and_the_rest_counts(self):
        def fail(_):
            raise RuntimeError("mine")

        with untorn.transaction() as t:
            t.set("n.json", "b", 2)
            with self.assertRaises(untorn.NoKeyError):
                untorn.unset("n.json", "c")
            with self.assertRaisesRegex(RuntimeError, "mine"):
                untorn.update("n.json", fail)
            with self.assertRaises(ValueError):
                untorn.write_text("n.json", "", level="none")
            self.put("bad.json", "{")
            t.update("bad.json", lambda old: old)
            with self.assertRaises(untorn.DamagedError):
                untorn.set("bad.json", "a", 1)
            t.write_json("bad.json", {})
        self.assertEqual(untorn.read_json("n.json"), {"a": 1, "b": 2})
        self.check("bad.json", "{}")

    def test_options_of_a_file_count_and_those_of_all_files_are_the_transactions(self):
        for name, call in (
                ("one", lambda **how: untorn.write_text("one", "x", **how)),
                ("two.json", lambda **how: untorn.update("two.json", lambda old: [1], **how))):
            with untorn.transaction() as t:
                t.write_text(name, "null")
                call(mode=0o600, level="cache", timeout=1, keep=9, strict=True,
                     state_dir="state", lock_file="lock")
            self.check_mode(name, 0o600)
        self.assertFalse(os.path.exists("state") or os.path.exists("lock"))
        with self.assertRaises(untorn.ChangedError):
            with untorn.transaction() as t:
                t.write_text("one", "y")
                untorn.write_text("one", "z", if_match="0" * 32)
        self.check("one", "x")

    def test_an_exception_drops_what_joined(self):
        with self.assertRaises(RuntimeError):
            with untorn.transaction() as t:
                t.write_text("n.json", "x")
                untorn.write_text("n.json", "y")
                raise RuntimeError
        self.check("n.json", '{"a": 1}')
        untorn.write_text("n.json", "z")
        self.check("n.json", "z")

    def test_the_innermost_transaction_comes_first(self):
        with untorn.transaction() as outer:
            outer.write_text("n.json", "outer")
            with untorn.transaction() as inner:
                inner.write_text("other", "inner")
                untorn.write_text("n.json", "joined outer")
                untorn.write_text("other", "joined inner")
            self.check("other", "joined inner")
            self.check("n.json", '{"a": 1}')
            with untorn.transaction() as inner:
                inner.write_text("n.json", "inner")
                untorn.write_text("n.json", "innermost")
            self.check("n.json", "innermost")
        self.check("n.json", "joined outer")

    def test_a_thread_does_not_join(self):
        with untorn.transaction() as t:
            t.write_text("n.json", "x")
            for run in lambda call: call(), contextvars.copy_context().run:
                thread = threading.Thread(target=run, args=(
                    lambda: untorn.write_text("n.json", "thread"),))
                thread.start()
                thread.join()
                self.check("n.json", "thread")
                self.put("n.json", "")
        self.check("n.json", "x")

    def test_a_task_does_not_join(self):
        async def write(path):
            untorn.write_text(path, "task")

        async def save():
            with untorn.transaction() as t:
                t.write_text("n.json", "x")
                t.write_text("other", "x")
                await asyncio.create_task(write("n.json"))
                await write("other")
                self.check("n.json", "task")
                self.check("other", "old")
        asyncio.run(save())
        self.check("n.json", "x")
        self.check("other", "task")

    def test_what_cannot_join_is_refused(self):
        untorn.write_text("other", "newer")
        config = untorn.Config("app", paths={"global": "n.json"})
        stream = untorn.open("n.json", "w")
        with untorn.transaction() as t:
            t.set("n.json", "a", 2)
            t.write_text("other", "x")
            for call in (
                    lambda: untorn.append("other", "x"),
                    lambda: untorn.replace("other", "elsewhere"),
                    lambda: untorn.replace("alone", "other"),
                    lambda: untorn.ensure("n.json", "b", 1),
                    lambda: untorn.undo("other"),
                    lambda: untorn.restore("other", 1),
                    lambda: untorn.open("other", "w"),
                    lambda: untorn.open("other", "xb"),
                    stream.close,
                    lambda: config.set("b", 1, scope="global")):
                with self.assertRaisesRegex(untorn.UsageError, "transaction"):
                    call()
            with untorn.open("other") as file:
                self.assertEqual(file.read(), "newer")
            self.check("n.json", '{"a": 1}')
            self.check("other", "newer")
        self.assertTrue(stream.closed)
        self.check("n.json", '{"a": 2}')
        self.check("other", "x")

    def test_the_end_of_the_block_is_too_late(self):
        def write(old):
            with self.assertRaises(untorn.UsageError):
                untorn.write_text("other", "late")
            return {**old, "b": 2}

        with untorn.transaction() as t:
            t.write_text("other", "new")
            t.update("n.json", write)
        self.check("other", "new")
        self.assertEqual(untorn.read_json("n.json"), {"a": 1, "b": 2})


class History(Case):
    def test_back_and_forth(self):
        for value in (1, 2, 3):
            untorn.write_json("a.json", value, keep=5)
        versions = untorn.history("a.json")
        self.assertEqual([version.number for version in versions], [1, 2])
        self.assertTrue(all(version.whole and version.size == 1 for version in versions))
        self.assertEqual(untorn.read_version("a.json"), b"2")
        self.assertEqual(untorn.read_version("a.json", 2), b"1")
        untorn.restore("a.json", 2)
        self.assertEqual(untorn.read_json("a.json"), 1)
        untorn.write_json("a.json", 2)
        untorn.write_json("a.json", 3)
        self.assertEqual([Path(path).name for path in untorn.undo("a.json")], ["a.json"])
        self.assertEqual(untorn.read_json("a.json"), 2)
        untorn.undo("a.json")
        self.assertEqual(untorn.read_json("a.json"), 3)
        with self.assertRaises(KeyError):
            untorn.restore("a.json", 9)
        with self.assertRaises(ValueError):
            untorn.restore("a.json", 0)
        with self.assertRaises(FileNotFoundError):
            untorn.history("missing")

    def test_a_set_is_undone_together(self):
        for value in (1, 2):
            with untorn.transaction() as t:
                t.write_json("a.json", value)
                t.write_json("b.json", value)
        self.assertEqual(sorted(Path(path).name for path in untorn.undo("a.json")),
                         ["a.json", "b.json"])
        self.assertEqual(untorn.read_set(["a.json", "b.json"]), [b"1", b"1"])


if __name__ == "__main__":
    main()
