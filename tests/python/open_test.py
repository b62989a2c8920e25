#!/usr/bin/python3
"""open() whose file appears whole or not at all, and the lock as a block."""

import csv
import os
import subprocess
import threading
import time
import unittest
import zipfile
from pathlib import Path

from support import WINDOWS, Case, end, forks, holder, main, start, untorn


class Opening(Case):
    def test_the_file_appears_when_the_block_ends(self):
        with untorn.open("a.csv", "w", newline="") as file:
            csv.writer(file).writerows([["a", "é"], [1, 2]])
            file.flush()
            self.assertFalse(os.path.exists("a.csv"))
            self.assertEqual((file.name, file.mode, file.closed), ("a.csv", "w", False))
        self.assertTrue(file.closed)
        self.check("a.csv", "a,é\r\n1,2\r\n")
        with untorn.open("b", "wb") as file:
            file.write(b"x" * 300000)
        self.check("b", b"x" * 300000)
        with untorn.open("a.csv") as file:
            self.assertEqual(file.readline(), "a,é\n")
        with untorn.open("b", "rb") as file:
            self.assertEqual(file.read(1), b"x")

    def test_no_exception_lets_it_appear(self):
        for mode, data in (("w", "new"), ("wb", b"new"), ("w", "n" * 99999), ("wb", b"n" * 99999)):
            self.put("a", "old")
            for error in (RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit):
                with self.assertRaises(error):
                    with untorn.open("a", mode) as file:
                        file.write(data)
                        raise error
                self.assertTrue(file.closed)
                with self.assertRaises(ValueError):
                    file.write(data)
                self.check("a", "old")

    def test_close_saves_and_forgetting_does_not(self):
        for mode, data in (("w", "new"), ("wb", b"new")):
            self.put("a", "old")
            file = untorn.open("a", mode)
            file.write(data)
            del file
            self.check("a", "old")
            file = untorn.open("a", mode)
            file.write(data)
            file.abort()
            file.close()
            self.check("a", "old")
            file = untorn.open("a", mode)
            file.write(data)
            file.close()
            file.close()
            self.check("a", "new")

    def test_a_process_that_ends_in_the_middle_leaves_the_old_file(self):
        self.put("a", "old")
        for end_of_it in ("os._exit(0)", "sys.exit(0)", "os.kill(os.getpid(), 9)"):
            process = start(f"""
                file = untorn.open("a", "w")
                file.write("x" * 100000)
                {end_of_it}
            """)
            process.communicate()
            self.check("a", "old")
        with untorn.open("a", "w") as file:
            file.write("new")
        self.check("a", "new")
        stages = Path(".untorn/stage")
        self.assertEqual(list(stages.iterdir()) if stages.exists() else [], [])

    @forks
    def test_a_child_leaves_the_file_of_its_parent_alone(self):
        for leave in ("sys.exit(0)", "file.abort(); os._exit(0)", "del file; os._exit(0)",
                      "file.close()"):
            process = start(f"""
                file = untorn.open("a", "w")
                file.write("parent")
                file.flush()
                if os.fork() == 0:
                    file.write("child")
                    {leave}
                os.wait()
                print(len(os.listdir(".untorn/stage")))
                file.close()
            """)
            self.assertEqual(process.communicate()[0], "1\n")
            self.check("a", "parent")
            os.remove("a")

    def test_newlines_and_encodings_are_those_of_open(self):
        for how in ({}, {"newline": ""}, {"newline": "\r\n"}, {"encoding": "latin-1"},
                    {"encoding": "ascii", "errors": "replace"}):
            with untorn.open("a", "w", **how) as file:
                file.write("é\nx\r\n")
            with open("b", "w", **{"encoding": "utf-8", **how}) as file:
                file.write("é\nx\r\n")
            self.check("a", Path("b").read_bytes())
        with self.assertRaises(UnicodeEncodeError):
            with untorn.open("a", "w", encoding="ascii") as file:
                file.write("é")
        self.check("a", Path("b").read_bytes())

    def test_modes(self):
        with untorn.open("a", "x") as file:
            file.write("1")
        with self.assertRaises(FileExistsError):
            with untorn.open("a", "xb") as file:
                file.write(b"2")
        self.check("a", "1")
        for wrong in ("a", "r+", "w+", "", "wr", "q"):
            with self.assertRaises(ValueError):
                untorn.open("a", wrong)
        for how in ({"encoding": "utf-8"}, {"newline": ""}):
            with self.assertRaises(ValueError):
                untorn.open("a", "wb", **how)
        with self.assertRaises(ValueError):
            untorn.open("a", "w", newline="x")
        with self.assertRaises(LookupError):
            untorn.open("a", "w", encoding="none")
        with self.assertRaises(FileNotFoundError):
            untorn.open("no/folder", "w")
        with untorn.open("new/folder", "w", parents=True, permissions=0o600) as file:
            file.write("1")
        self.check_mode("new/folder", 0o600)
        self.check("new/folder", "1")
        self.check("a", "1")

    def test_others_can_write_to_it(self):
        with untorn.open("a.zip", "wb") as file, zipfile.ZipFile(file, "w") as archive:
            archive.writestr("x", "content")
        self.assertEqual(zipfile.ZipFile("a.zip").read("x"), b"content")


class Locking(Case):
    def test_others_wait_and_the_same_thread_does_not(self):
        lock = untorn.Lock("a.json", timeout=0.1)
        self.assertIsNone(lock.who())
        with lock:
            self.assertEqual(lock.who().pid, os.getpid())
            with lock:
                untorn.set("a.json", "a", 1)
            self.assertTrue(lock.held)
            failed = []

            def other():
                try:
                    lock.acquire()
                except untorn.LockTimeout:
                    failed.append(True)
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
            self.assertEqual(failed, [True])
            self.assertEqual(end(start("""
                try:
                    untorn.Lock("a.json", timeout=0).acquire()
                except TimeoutError as error:
                    print(error.status)
            """)), "LOCKED\n")
        self.assertFalse(lock.held)
        self.assertIsNone(untorn.who("a.json"))
        with self.assertRaises(RuntimeError):
            lock.release()

    def test_readers_share(self):
        with untorn.Lock("a", shared=True):
            end(start('untorn.Lock("a", timeout=0, shared=True).acquire()'))
            self.assertTrue(untorn.who("a").shared)
            with self.assertRaises(untorn.Error):
                untorn.write_text("a", "x")
        untorn.write_text("a", "x")

    def test_a_dead_holder_holds_nothing(self):
        process = holder("a")
        process.kill()
        process.communicate()
        with untorn.Lock("a", timeout=1):
            pass

    @unittest.skipIf(WINDOWS, "Windows has no flock")
    def test_a_lock_file_is_shared_with_flock(self):
        process = subprocess.Popen(["flock", "the.lock", "-c", "echo held; read x"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.readline()
        with self.assertRaises(untorn.LockTimeout):
            untorn.Lock("a", timeout=0.1, lock_file="the.lock").acquire()
        process.communicate(b"\n")
        with untorn.Lock("a", timeout=1, lock_file="the.lock"):
            self.assertEqual(subprocess.run(["flock", "-n", "the.lock", "true"]).returncode, 1)

    @forks
    def test_a_child_holds_nothing(self):
        lock = untorn.Lock("a", timeout=0)
        with lock:
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    lock.acquire()
                except untorn.LockTimeout:
                    status = 0 if not lock.held else 2
                finally:
                    os._exit(status)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertTrue(lock.held)
            self.assertEqual(lock.who().pid, os.getpid())

    def test_a_commit_waits_for_the_lock(self):
        process = holder("a")
        began = time.monotonic()
        with self.assertRaises(untorn.LockTimeout):
            with untorn.open("a", "w", timeout=0.2) as file:
                file.write("x")
        self.assertGreaterEqual(time.monotonic() - began, 0.2)
        self.assertFalse(os.path.exists("a"))
        end(process)


if __name__ == "__main__":
    main()
