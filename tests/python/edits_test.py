#!/usr/bin/python3
# run: budget 20
"""Values inside documents: set, unset, merged, patched, got, and changed by functions."""

import _pyio
import datetime
import math
import os
import signal
import threading
import time
from pathlib import Path
from unittest import mock

from support import Case, any_bytes, end, forks, interrupts, main, start, untorn

TOML = """# main
[server]
port = 80 # proxy
host = "localhost"

# the rest
[paths]
tmp = "/tmp"
"""


class Editing(Case):
    def test_one_key_changes_and_every_other_byte_stays(self):
        self.put("app.toml", TOML)
        untorn.set("app.toml", "server.port", 8080)
        self.check("app.toml", TOML.replace("80 #", "8080 #"))
        untorn.unset("app.toml", "server.host", "paths.tmp")
        self.assertEqual(untorn.read_toml("app.toml"), {"server": {"port": 8080}, "paths": {}})

    def test_keys_are_dotted_pointers_or_segments(self):
        untorn.set("a.json", "a.b", 1)
        untorn.set("a.json", "/a/c", 2)
        untorn.set("a.json", ["a", "x.y", "z"], 3)
        untorn.set("a.json", "a.list", [])
        untorn.set("a.json", "a.list[+]", 4)
        self.assertEqual(untorn.read_json("a.json"),
                         {"a": {"b": 1, "c": 2, "x.y": {"z": 3}, "list": [4]}})
        self.assertEqual(untorn.get("a.json", ["a", "x.y"]), {"z": 3})
        self.assertEqual(untorn.get("a.json", "a.list[0]"), 4)
        self.assertEqual(untorn.get("a.json", []), untorn.read_json("a.json"))
        with self.assertRaisesRegex(TypeError, "a value is missing"):
            untorn.set("a.json", "a")
        for wrong, kind in ((3, TypeError), ("", ValueError), ("a..b", ValueError),
                            ("a\0b", ValueError)):
            with self.assertRaises(kind):
                untorn.set("a.json", wrong, 1)

    def test_values_of_every_type_come_back(self):
        values = {"none": None, "true": True, "int": 10**30, "float": 0.1, "text": "é\"\n\x7f\0",
                  "list": [1, [2, {}]], "dict": {"a b": {"": 1}}, "tuple": [1]}
        untorn.set("a.json", {**values, "tuple": (1,)})
        self.assertEqual(untorn.read_json("a.json"), values)
        for key, value in values.items():
            self.assertEqual(untorn.get("a.json", key), value)
            self.assertIs(type(untorn.get("a.json", key)), type(value))
        self.put("half.json", '{"half": "\\ud800", "whole": "\\ud83d\\ude00"}')
        self.assertEqual([untorn.get("half.json", "half"), untorn.get("half.json", "whole")],
                         ["\ud800", "\U0001f600"])
        zone = datetime.timezone(datetime.timedelta(hours=2))
        values = {"bool": False, "int": 2**63 - 1, "float": 1e100, "inf": float("-inf"),
                  "text": "é\"\n\x7f\0", "list": [1, "a", [2.5]], "dict": {"a b": {"c": 1}},
                  "date": datetime.date(2026, 1, 2), "time": datetime.time(1, 2, 3, 456),
                  "local": datetime.datetime(2026, 1, 2, 3, 4, 5),
                  "zone": datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=zone)}
        untorn.set("a.toml", values)
        self.assertEqual(untorn.read_toml("a.toml"), values)
        for key, value in values.items():
            self.assertEqual(untorn.get("a.toml", key), value)
        before = Path("a.toml").read_bytes()
        for wrong in (None, {1: 2}, object(), [None], datetime.time(1, tzinfo=zone)):
            with self.assertRaises(TypeError):
                untorn.set("a.toml", "x", wrong)
        with self.assertRaises(TypeError):
            untorn.set("a.json", "x", object())
        self.check("a.toml", before)

    def test_several_values_are_set_together_or_none(self):
        untorn.set("a.json", {"a": 1, "b": 2})
        with self.assertRaises(untorn.Error):
            untorn.set("a.json", {"a": 3, "b.c": 4})
        self.assertEqual(untorn.read_json("a.json"), {"a": 1, "b": 2})

    def test_what_is_not_there_is_told_or_the_default(self):
        self.put("a.json", '{"a": 1}')
        for path, kind in (("a.json", KeyError), ("b.json", FileNotFoundError)):
            self.assertEqual(untorn.get(path, "x", 5), 5)
            with self.assertRaises(kind):
                untorn.get(path, "x")
            with self.assertRaises(kind):
                untorn.unset(path, "x")
        self.assertFalse(os.path.exists("b.json"))
        with self.assertRaises(ValueError):
            untorn.set("a.unknown", "a", 1)
        untorn.set("a.unknown", "a", 1, format="toml")
        self.check("a.unknown", "a = 1\n")
        with self.assertRaises(ValueError):
            untorn.set("a.unknown", "a", 1, format="yaml")

    def test_patches_of_both_kinds(self):
        self.put("app.toml", TOML)
        untorn.merge("app.toml", {"server": {"port": 8080, "host": None}})
        self.check("app.toml", TOML.replace("80 #", "8080 #").replace('host = "localhost"\n', ""))
        self.put("a.json", '{"a": [1, 2]}')
        untorn.patch("a.json", [{"op": "test", "path": "/a/0", "value": 1},
                                {"op": "add", "path": "/a/-", "value": 3}])
        self.assertEqual(untorn.read_json("a.json"), {"a": [1, 2, 3]})
        with self.assertRaises(untorn.ChangedError):
            untorn.patch("a.json", [{"op": "remove", "path": "/a"},
                                    {"op": "test", "path": "/a", "value": 1}])
        self.assertEqual(untorn.read_json("a.json"), {"a": [1, 2, 3]})

    def test_a_merge_into_toml_may_have_what_json_does_not(self):
        self.put("app.toml", TOML)
        day = datetime.date(2026, 1, 2)
        patch = {"server": {"port": None, "none": None, "since": day}, "limit": math.inf}
        untorn.merge("app.toml", patch)
        found = untorn.read_toml("app.toml")
        self.assertEqual((found["server"]["since"], found["limit"]), (day, math.inf))
        self.assertNotIn("port", found["server"])
        self.assertIn("# main", untorn.read_text("app.toml"))
        with untorn.transaction() as t:
            t.merge("app.toml", {"server": {"since": datetime.time(1, 2, 3)}})
        self.assertEqual(untorn.get("app.toml", "server.since"), datetime.time(1, 2, 3))
        for path, wrong in (("app.toml", object()), ("a.json", day)):
            with self.assertRaises(TypeError):
                untorn.merge(path, {"a": wrong})
        self.assertFalse(os.path.exists("a.json"))

    def test_a_value_is_made_once(self):
        self.assertEqual(untorn.ensure("a.toml", "a.b", [1]), [1])
        self.assertEqual(untorn.ensure("a.toml", "a.b", [2]), [1])
        self.assertEqual(untorn.ensure("a.toml", "a.c", lambda: datetime.date(2026, 1, 2)),
                         datetime.date(2026, 1, 2))
        self.assertEqual(untorn.ensure("a.toml", "a.c", lambda: self.fail()),
                         datetime.date(2026, 1, 2))
        code = """
            import uuid
            key = ["/srv/my.project"]
            if sys.argv[1] == "1":
                print(untorn.ensure("ids.json", key, lambda: str(uuid.uuid4())))
            else:
                print(untorn.ensure("ids.json", key, str(uuid.uuid4())))
        """
        self.assertEqual(len({end(process) for process in [start(code, n % 2) for n in range(6)]}),
                         1)

        def fail():
            raise RuntimeError("mine")
        with self.assertRaisesRegex(RuntimeError, "mine"):
            untorn.ensure("new.json", "a", fail)
        with self.assertRaises(TypeError):
            untorn.ensure("new.json", "a", object)
        self.assertFalse(os.path.exists("new.json"))

    def test_a_value_that_does_not_count_is_made_anew(self):
        self.assertEqual(untorn.ensure("a.json", "a", 1, valid=self.fail), 1)
        for value in (2, lambda: 2):
            seen = []
            self.assertEqual(untorn.ensure("a.json", "a", value, valid=seen.append), 2)
            self.assertEqual(untorn.ensure("a.json", "a", 3, valid=lambda n: n == 2), 2)
            self.assertEqual(seen[0], 1)
            untorn.set("a.json", "a", 1)
        day = datetime.date(2026, 1, 2)
        untorn.set("a.toml", "day", day)
        self.assertEqual(untorn.ensure("a.toml", "day", 0, valid=lambda found: found == day), day)
        self.assertEqual(untorn.ensure("a.toml", "day", day, valid=lambda found: False), day)

        def fail(found):
            raise RuntimeError("mine")
        for value in (2, self.fail):
            with self.assertRaisesRegex(RuntimeError, "mine"):
                untorn.ensure("a.json", "a", value, valid=fail)
        self.assertEqual(untorn.read_json("a.json"), {"a": 1})
        untorn.set("a.json", "a", 3, timeout=0)  # no lock is left

    @any_bytes
    def test_names_that_are_not_utf_8(self):
        path = os.fsdecode(b"/srv/caf\xe9")
        untorn.set("a.json", [path], path)
        self.check("a.json", '{\n  "/srv/caf\\udce9": "/srv/caf\\udce9"\n}\n')
        self.assertEqual(untorn.get("a.json", [path]), path)
        self.assertEqual(untorn.ensure("a.json", [path], "another"), path)
        with untorn.edit("a.json") as document:
            document["é"] = document.pop(path)
        self.assertEqual(untorn.read_json("a.json"), {"é": path})
        with self.assertRaises(untorn.Error):
            untorn.set("a.toml", [path], 1)

    def test_newlines_of_a_text_that_is_changed_stay(self):
        def add():
            untorn.update("a.txt", lambda text: text + "c\n", format="text")
        self.put("a.txt", "a\r\nb\n")
        add()
        self.check("a.txt", "a\r\nb\nc\n")
        with mock.patch("os.linesep", "\r\n"), \
                mock.patch("io.TextIOWrapper", _pyio.TextIOWrapper):  # as on Windows
            untorn.write_text("b.txt", "b\n")
            add()
        self.check("b.txt", "b\r\n")
        self.check("a.txt", "a\r\nb\nc\nc\n")

    def test_damage_is_never_edited(self):
        self.put("a.json", '{"a": ')
        for call in (lambda: untorn.set("a.json", "a", 1), lambda: untorn.get("a.json", "a", 1),
                     lambda: untorn.update("a.json", lambda old: {}),
                     lambda: untorn.ensure("a.json", "a", 1),
                     lambda: untorn.edit("a.json").__enter__()):
            with self.assertRaises(untorn.DamagedError) as caught:
                call()
            self.assertEqual(caught.exception.verdict, "truncated")
        self.check("a.json", '{"a": ')

    def test_none_of_many_writers_is_lost(self):
        code = """
            for i in range(25):
                untorn.set("a.json", [sys.argv[1], str(i)], i)
                untorn.update("n.json", lambda n: (n or 0) + 1)
                with untorn.edit("b.toml") as doc:
                    doc["n"] = doc.get("n", 0) + 1
        """
        processes = [start(code, number) for number in range(4)]
        for process in processes:
            end(process)
        document = untorn.read_json("a.json")
        self.assertEqual(document, {str(n): {str(i): i for i in range(25)} for n in range(4)})
        self.assertEqual(untorn.read_json("n.json"), 100)
        self.assertEqual(untorn.read_toml("b.toml"), {"n": 100})

    @interrupts
    def test_an_interrupted_writer_has_what_it_was_told_and_nothing_twice(self):
        """Waits end in pieces here, because the lock is held for longer than one."""
        code = """
            try:
                print("go", flush=True)
                for i in range(10000):
                    untorn.set("a.json", "list[+]", f"{sys.argv[1]}.{i}", level="cache")
                    print(i, flush=True)
            except KeyboardInterrupt:
                pass
        """
        untorn.set("a.json", "list", [])
        writers = [start(code, number) for number in range(4)]
        for writer in writers:
            writer.stdout.readline()
        for _ in range(3):
            with untorn.Lock("a.json"):
                time.sleep(0.5)
            time.sleep(0.05)
        with untorn.Lock("a.json"):
            time.sleep(0.3)
            for writer in writers[:2]:
                writer.send_signal(signal.SIGINT)
            told = [end(writer).split() for writer in writers[:2]]
        for writer in writers[2:]:
            writer.send_signal(signal.SIGINT)
        told += [end(writer).split() for writer in writers[2:]]
        found = untorn.get("a.json", "list")
        self.assertEqual(len(found), len({*found}))
        for number, lines in enumerate(told):
            mine = [item for item in found if item.startswith(f"{number}.")]
            # One may have been made when the signal came, before it was told.
            self.assertIn(len(mine) - len(lines), (0, 1))
            self.assertEqual(mine, [f"{number}.{i}" for i in range(len(mine))])

    @forks
    def test_none_of_many_threads_is_lost_and_forks_go_on(self):
        def work(name):
            for i in range(10):
                untorn.set("a.json", [name, str(i)], i)
                untorn.update("n.json", lambda n: (n or 0) + 1)
        threads = [threading.Thread(target=work, args=(str(n),)) for n in range(4)]
        for thread in threads:
            thread.start()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                untorn.set("a.json", "child", 1)
                status = 0
            finally:
                os._exit(status)
        for thread in threads:
            thread.join()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(untorn.read_json("a.json"),
                         {**{str(n): {str(i): i for i in range(10)} for n in range(4)}, "child": 1})
        self.assertEqual(untorn.read_json("n.json"), 40)


class Changing(Case):
    def test_a_function_sees_the_document_and_comments_stay(self):
        self.put("app.toml", TOML)

        def change(document):
            document["server"]["port"] = 8080
            document["new"] = {"day": datetime.date(2026, 1, 2)}
            return document
        untorn.update("app.toml", change)
        self.check("app.toml", TOML.replace("80 #", "8080 #") + "\n[new]\nday = 2026-01-02\n")
        seen = []
        untorn.update("new.json", lambda old: seen.append(old) or [1])
        self.assertEqual((seen, untorn.read_json("new.json")), ([None], [1]))

    def test_equal_values_of_another_type_are_a_change(self):
        self.put("a.json", "[1, 2]")
        untorn.update("a.json", lambda old: [True, 2.0])
        self.check("a.json", "[true, 2.0]")

    def test_no_change_writes_nothing(self):
        self.put("a.json", '{"a":1}')
        inode = os.stat("a.json").st_ino
        untorn.update("a.json", lambda old: None)
        untorn.update("a.json", lambda old: old)
        with untorn.edit("a.json"):
            pass
        self.assertEqual(os.stat("a.json").st_ino, inode)
        with untorn.edit("b.json") as document:
            self.assertEqual(document, {})
        self.assertFalse(os.path.exists("b.json"))

    def test_text_and_bytes(self):
        untorn.update("a", lambda old: (old or "") + "é", format="text")
        untorn.update("a", lambda old: old + b"!", format="bytes")
        self.check("a", "é!")
        with self.assertRaises(TypeError):
            untorn.update("a", lambda old: 3, format="bytes")
        with self.assertRaises(ValueError):
            untorn.update("a", lambda old: 3)
        self.check("a", "é!")

    def test_an_exception_leaves_the_file(self):
        self.put("a.json", '{"a":1}')
        for error in (RuntimeError, KeyboardInterrupt, SystemExit):
            def fail(_, error=error):
                raise error("mine")
            with self.assertRaisesRegex(error, "mine"):
                untorn.update("a.json", fail)
            with self.assertRaisesRegex(error, "mine"):
                with untorn.edit("a.json") as document:
                    document["a"] = 2
                    raise error("mine")
        self.check("a.json", '{"a":1}')
        untorn.set("a.json", "a", 3, timeout=0)  # no lock is left

    def test_a_block_changes_only_what_it_changed(self):
        self.put("app.toml", TOML)
        with untorn.edit("app.toml") as document:
            document["server"]["port"] += 1
            self.assertTrue(untorn.who("app.toml"))
        self.check("app.toml", TOML.replace("80 #", "81 #"))
        self.put("a.json", "[1,  2]\n")
        with untorn.edit("a.json") as document:
            document.append(3)
        self.check("a.json", "[1,  2,  3]\n")

    def test_a_block_keeps_the_condition_it_was_given(self):
        def in_transaction(path, **options):
            with untorn.transaction() as t:
                with t.edit(path, **options) as document:
                    document["a"] = 2

        def alone(path, **options):
            with untorn.edit(path, **options) as document:
                document["a"] = 2

        for edit in alone, in_transaction:
            self.put("a.json", '{"a":1}')
            for path in "a.json", "none.json":
                with self.assertRaises(untorn.ChangedError):
                    edit(path, if_match="0" * 32)
            with self.assertRaises(untorn.ExistsError):
                edit("a.json", exclusive=True)
            self.check("a.json", '{"a":1}')
            edit("a.json", if_match=untorn.hash("a.json"))
            self.check("a.json", '{"a":2}')

    def test_a_block_begins_with_the_default_where_there_is_no_file(self):
        default = {"version": 1, "list": []}
        with untorn.edit("a.json", default=default) as document:
            self.assertEqual(document, default)
        self.assertFalse(os.path.exists("a.json"))
        for number in (1, 2):
            with untorn.edit("a.json", default=default) as document:
                document["list"].append(number)
        with untorn.transaction() as t:
            with t.edit("b.json", default=default) as document:
                document["version"] = 2
        self.assertEqual(untorn.read_json("a.json"), {"version": 1, "list": [1, 2]})
        self.assertEqual(untorn.read_json("b.json"), {"version": 2, "list": []})
        self.assertEqual(default, {"version": 1, "list": []})

    def test_what_a_stranger_writes_meanwhile_is_not_overwritten(self):
        self.put("a.json", '{"a": 1}')
        with self.assertRaises(untorn.ChangedError):
            with untorn.edit("a.json") as document:
                document["a"] = 2
                self.put("a.json", '{"b": 1}')
        self.check("a.json", '{"b": 1}')

    def test_a_function_may_use_untorn_itself(self):
        def change(old):
            untorn.set("b.json", "seen", old is None)
            return {"a": 1}
        untorn.update("a.json", change)
        self.assertEqual(untorn.read_json("b.json"), {"seen": True})


if __name__ == "__main__":
    main()
