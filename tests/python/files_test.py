#!/usr/bin/python3
"""Whole files: written, read, appended to."""

import errno
import io
import json
import os
import signal
import threading
import time
from pathlib import Path

from support import WINDOWS, Case, any_bytes, end, holder, interrupts, main, start, untorn
from untorn import _values

DOCUMENT = {"b": [1, 2.5, None, True], "a": {"ü": "é\n", "empty": {}, "list": []}}


class Writing(Case):
    def test_json_is_that_of_json_dump(self):
        class Odd:
            pass
        for how in ({}, {"indent": None}, {"indent": "\t"}, {"sort_keys": True},
                    {"ensure_ascii": False}, {"separators": (",", ":")}, {"indent": 0},
                    {"default": lambda _: "odd"}):
            document = {**DOCUMENT, "odd": Odd()} if "default" in how else DOCUMENT
            untorn.write_json("a.json", document, **how)
            file = io.StringIO()
            json.dump(document, file, **{"indent": 2, **how})
            self.check("a.json", file.getvalue())
            if "default" not in how:
                self.assertEqual(untorn.read_json("a.json"), DOCUMENT)

    def test_what_is_no_json_leaves_the_old_file(self):
        untorn.write_json("a.json", [1])
        with self.assertRaises(TypeError):
            untorn.write_json("a.json", [1, object()])
        with self.assertRaises(ValueError):
            untorn.write_json("a.json", float("nan"), allow_nan=False)
        with self.assertRaises(TypeError):
            untorn.write_json("a.json", 1, no_such_option=1)
        self.check("a.json", "[\n  1\n]")

    def test_nan_comes_back_as_it_was_written(self):
        untorn.write_json("a.json", [float("inf")])
        self.assertEqual(untorn.read_json("a.json"), [float("inf")])

    def test_text_has_the_newlines_of_open(self):
        for newline in (None, "", "\n", "\r\n", "\r"):
            untorn.write_text("a", "x\ny\r\nz\r", newline=newline)
            with open("b", "w", encoding="utf-8", newline=newline) as file:
                file.write("x\ny\r\nz\r")
            self.check("a", Path("b").read_bytes())
            with open("b", encoding="utf-8", newline=newline) as file:
                self.assertEqual(untorn.read_text("a", newline=newline), file.read())

    def test_bytes_of_every_kind_and_folders_are_made(self):
        for data in (b"ab", bytearray(b"ab"), memoryview(b"ab")):
            untorn.write_bytes("x/y/a", data)
            self.check("x/y/a", "ab")
        for wrong in ("ab", 3):
            with self.assertRaises(TypeError):
                untorn.write_bytes("x/y/a", wrong)
        with self.assertRaises(FileNotFoundError):
            untorn.write_bytes("z/a", b"", parents=False)

    def test_paths_of_every_kind(self):
        for path in ("a", b"a", Path("a"), "é.json", "é.json".encode()):
            untorn.write_bytes(path, os.fsencode(path))
            self.assertEqual(untorn.read_bytes(path), os.fsencode(path))
        for wrong, kind in (("a\0b", ValueError), (3, TypeError), (None, TypeError)):
            with self.assertRaises(kind):
                untorn.write_bytes(wrong, b"")

    @any_bytes
    def test_paths_of_any_bytes(self):
        for path in (os.fsdecode(b"\xff.json"), b"\xff.json"):
            untorn.write_bytes(path, os.fsencode(path))
            self.assertEqual(untorn.read_bytes(path), os.fsencode(path))
        with self.assertRaises(FileNotFoundError) as caught:
            untorn.read_bytes(b"\xfe")
        self.assertEqual(os.fsencode(caught.exception.filename), b"\xfe")

    def test_options_are_heard(self):
        untorn.write_text("secret", "1", mode=0o600)
        self.check_mode("secret", 0o600)
        with self.assertRaises(FileExistsError):
            untorn.write_text("secret", "2", exclusive=True)
        with self.assertRaises(untorn.ChangedError):
            untorn.write_text("secret", "2", if_match="0" * 32)
        untorn.write_text("secret", "2", if_match=untorn.hash("secret"), level="cache")
        self.check("secret", "2")
        if not WINDOWS:  # where links are for administrators, and not in Wine
            os.symlink("secret", "link")
            with self.assertRaises(OSError) as caught:
                untorn.write_text("link", "3", symlink="refuse")
            self.assertEqual(caught.exception.errno, errno.ELOOP)
        for wrong in ({"level": "high"}, {"symlink": 3}, {"timeout": -1}, {"keep": -1},
                      {"if_match": "x"}, {"timeout": float("nan")}):
            with self.assertRaises(ValueError):
                untorn.write_text("secret", "3", **wrong)
        with self.assertRaises(TypeError):
            untorn.write_text("secret", "3", colour="red")

    def test_a_killed_writer_leaves_the_old_or_the_new_file(self):
        untorn.write_json("a.json", "x" * 100000)
        for _ in range(8):
            process = start("""
                print("go", flush=True)
                for i in range(100000):
                    untorn.write_json("a.json", str(i % 10) * 100000)
            """)
            process.stdout.readline()
            time.sleep(0.02)
            process.kill()
            process.communicate()
            value = untorn.read_json("a.json")
            self.assertEqual((len(value), len(set(value))), (100000, 1))

    def test_a_condition_that_appending_does_not_look_at_is_refused(self):
        for option in ({"if_match": "0" * 32}, {"exclusive": True}, {"keep": 3}):
            with self.assertRaises(TypeError):
                untorn.append("a.log", "1", **option)
        self.assertEqual(os.listdir("."), [])

    def test_lines_are_appended_whole(self):
        processes = [start("""
            for i in range(20):
                untorn.append("log.jsonl", '{"i": %d}' % i)
        """) for _ in range(3)]
        for process in processes:
            end(process)
        lines = Path("log.jsonl").read_text().splitlines()
        self.assertEqual(sorted(json.loads(line)["i"] for line in lines),
                         sorted(list(range(20)) * 3))
        with self.assertRaises(untorn.DamagedError):
            untorn.append("log.jsonl", b"{")


class Reading(Case):
    def test_a_missing_file_is_the_default(self):
        for read in (untorn.read_bytes, untorn.read_text, untorn.read_json, untorn.read_toml):
            self.assertIsNone(read("a", None))
            self.assertEqual(read("a", default=[3]), [3])
            with self.assertRaises(FileNotFoundError):
                read("a")
        self.assertEqual(os.listdir("."), [])

    def test_damage_is_told_with_the_last_good_version(self):
        untorn.write_json("a.json", {"a": 1})
        untorn.write_json("a.json", {"a": 2})
        for text, verdict in (("", "empty"), ("\0\0", "nul"), ('{"a"', "truncated"),
                              ("{]", "syntax")):
            self.put("a.json", text)
            with self.assertRaises(untorn.DamagedError) as caught:
                untorn.read_json("a.json", default=None)
            error = caught.exception
            self.assertEqual((error.verdict, error.content), (verdict, text.encode()))
            self.assertEqual((json.loads(error.last_good), error.last_good_version), ({"a": 1}, 1))
            self.assertRegex(str(error), "^a.json: ")
        self.put("b.json", "{")
        with self.assertRaises(untorn.DamagedError) as caught:
            untorn.read_json("b.json")
        self.assertIsNone(caught.exception.last_good)
        self.put("a.txt", "\0" * 9)
        for read in (untorn.read_text, untorn.read_bytes):
            with self.assertRaises(untorn.DamagedError) as caught:
                read("a.txt")
            self.assertEqual(caught.exception.verdict, "nul")
        self.put("a.toml", "a = [1")
        with self.assertRaises(untorn.DamagedError) as caught:
            untorn.read_toml("a.toml")
        self.assertEqual(caught.exception.verdict, "truncated")

    def test_hooks_work_and_their_errors_are_theirs(self):
        self.put("a.json", '{"a": 1.5}')
        self.assertEqual(untorn.read_json("a.json", parse_float=str), {"a": "1.5"})

        def refuse(_):
            raise ValueError("mine")
        with self.assertRaisesRegex(ValueError, "mine"):
            untorn.read_json("a.json", object_hook=refuse)

    def test_comments_are_read_where_the_name_allows_them(self):
        self.put("a.jsonc", '// one\n{"a": [1,],}\n')
        self.assertEqual(untorn.read_json("a.jsonc"), {"a": [1]})
        self.put("a.json", '// one\n{"a": 1}\n')
        with self.assertRaises(untorn.DamagedError):
            untorn.read_json("a.json")

    def test_toml_is_the_same_with_and_without_tomllib(self):
        text = """a = 1\nhex = 0xff\nf = 1e3\nn = -inf\nb = true\ns = "x\\u00e9"
            d = 1979-05-27\nt = 07:32:00.123456789\nl = 1979-05-27 07:32:00
            o = 1979-05-27T00:32:00.5-07:00\nz = 1979-05-27T07:32:00Z\nlist = [1, [2], {k = 3}]
            [type]\ntype = "integer"\nvalue = "1"\n[[many]]\nx = 1\n[[many]]\n"""
        self.put("a.toml", text)
        with_it = untorn.read_toml("a.toml")
        library, _values.tomllib = _values.tomllib, None
        try:
            without = untorn.read_toml("a.toml")
        finally:
            _values.tomllib = library
        self.assertEqual(with_it, without)
        self.assertEqual(str(with_it), str(without))
        self.assertEqual(without["type"], {"type": "integer", "value": "1"})
        self.put("b.toml", "a = {b = 1,\n c = 07:32,}\n")  # of TOML 1.1
        self.assertEqual(str(untorn.read_toml("b.toml")["a"]["c"]), "07:32:00")


class Waiting(Case):
    CALLS = """
        calls = {
            "write": lambda: untorn.write_json("a.json", 2),
            "set": lambda: untorn.set("a.json", "a", 2),
            "update": lambda: untorn.update("a.json", lambda old: 2),
            "append": lambda: untorn.append("a.json", "2", records="text"),
            "lock": lambda: untorn.Lock("a.json").acquire(),
        }
        print("go", flush=True)
        try:
            calls[sys.argv[1]]()
        except KeyboardInterrupt:
            print("interrupted")
    """

    @interrupts
    def test_ctrl_c_ends_every_wait_at_once(self):
        untorn.write_json("a.json", {"a": 1})
        before = Path("a.json").read_bytes()
        process = holder("a.json")
        for call in ("write", "set", "update", "append", "lock"):
            waiting = start(self.CALLS, call)
            waiting.stdout.readline()
            time.sleep(0.3)
            self.assertIsNone(waiting.poll())
            sent = time.monotonic()
            waiting.send_signal(signal.SIGINT)
            self.assertEqual(end(waiting), "interrupted\n")
            self.assertLess(time.monotonic() - sent, 2)
        end(process)
        self.check("a.json", before)

    def test_a_wait_is_as_long_as_it_was_asked_to_be(self):
        process = holder("a.json")
        for timeout, least in ((0, 0), (0.2, 0.2)):
            began = time.monotonic()
            with self.assertRaises(untorn.LockTimeout):
                untorn.write_json("a.json", 1, timeout=timeout)
            self.assertGreaterEqual(time.monotonic() - began, least)
            self.assertLess(time.monotonic() - began, least + 2)
        self.assertFalse(os.path.exists("a.json"))
        end(process)

    def test_other_threads_run_while_one_waits(self):
        process = holder("a.json")
        thread = threading.Thread(target=lambda: untorn.set("a.json", "a", 1))
        thread.start()
        count, until = 0, time.monotonic() + 0.3
        while time.monotonic() < until:
            count += 1
        self.assertGreater(count, 1000)
        end(process)
        thread.join()
        self.assertEqual(untorn.read_json("a.json"), {"a": 1})


if __name__ == "__main__":
    main()
