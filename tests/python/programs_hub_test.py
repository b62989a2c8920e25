#!/usr/bin/python3
# run: budget 20
"""Six files that are written whole: whatever happens, each is as it was or as it should be."""

import contextlib
import ctypes
import errno
import itertools
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

from support import main, untorn
from programs import (SPARSE, UNHURRIED, ProgramCase, after_all, interrupted_everywhere,
                      joined_everywhere, killed_everywhere, load, processes, shows, threads)
from stepping import apart, calls_of

# Each writer: the name of its file, and how it writes a text (and what else is needed).
WRITERS = {
    "environments": ("environments.json", lambda hub, path, text:
                     hub.EnvironmentStore(path).set("sandbox", {"image": text})),
    "skills": ("lock.json", lambda hub, path, text:
               hub.SkillsRegistry(path).install("search", {"text": text})),
    "taps": ("taps.json", lambda hub, path, text: hub.TapsRegistry(path).add(text)),
    "index": ("index.json", lambda hub, path, text: hub.IndexCache(path, 1000).put([text])),
    "summary": ("summary.txt", lambda hub, path, text: hub.write_summary(path, text)),
    "full": ("full.txt", lambda hub, path, text: hub.write_full(path, text)),
}
DIFFERENT = ("environments", "index", "full")  # one of each kind
SHORT, LONG = "the old ü", "the new ü " * 2000  # more than one write
MOUNT_NAMESPACE = 0x20000


class Writer:
    """One writer of one variant of the program, with its file in the folder `hub`."""

    def __init__(self, variant, name):
        self.module = load(variant, "skills_hub")
        self.file, self._write = WRITERS[name]
        self.path = f"hub/{self.file}"
        self.prepare()
        self.old = self.read()
        self.write(LONG)
        self.new = self.read()

    def write(self, text):
        self._write(self.module, self.path, text)

    def read(self):
        return Path(self.path).read_bytes()

    def prepare(self, mode=0o644):
        shutil.rmtree("hub", ignore_errors=True)
        os.mkdir("hub", 0o700)
        self.write(SHORT)
        os.chmod(self.path, mode)

    def judge(self, is_clear=False):
        """Old or new; the next write works, and clears up if it is not clear yet."""
        found = self.read()
        assert found in (self.old, self.new), f"torn: {len(found)} bytes"
        if is_clear:
            shows("hub", self.file)
        self.write(LONG)
        assert self.read() == self.new, "the next write does not work"
        shows("hub", self.file)

    def killed(self, step=1):
        return killed_everywhere(self.prepare, lambda _: self.write(LONG), self.judge, step)

    def interrupted(self, number, step=1):
        def prepare():
            self.prepare()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        return interrupted_everywhere(prepare, lambda _: self.write(LONG),
                                      lambda: self.judge(is_clear=True), number, step)


def replaced_by_hand(_, path, text):
    """What people write who know half of it: no mode, no owner, no link, no flush."""
    stage = f"{path}.tmp"
    with open(os.open(stage, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write(text)
    os.replace(stage, path)


class Kill(ProgramCase):
    def test_a_write_that_is_killed_anywhere_leaves_a_whole_file(self):
        for name in WRITERS:
            with self.subTest(name):
                calls, problems = Writer("after", name).killed(
                    1 if name in DIFFERENT else SPARSE)
                self.assertEqual(problems, [])
                self.assertGreater(calls, 5)
                print(f"    {name}: killed at {calls} calls")

    def test_write_text_is_caught(self):
        for name in WRITERS:
            _, problems = Writer("before", name).killed()
            self.assertFound(problems, "torn: 0 bytes")

    def test_an_exception_in_the_middle_leaves_a_whole_file_and_nothing_else(self):
        for name in DIFFERENT:
            step = SPARSE if name == "environments" else 1
            for number, step in ((signal.SIGINT, step), (signal.SIGTERM, SPARSE)):
                calls, problems = Writer("after", name).interrupted(number, step)
                self.assertEqual(problems, [])
                self.assertGreater(calls, 5)
            _, problems = Writer("before", name).interrupted(signal.SIGINT)
            self.assertFound(problems, "torn: 0 bytes")


def on_a_full_disk(function):
    """Runs it beside a small file system of its own, `disk`, which only this process sees."""
    def run():
        if os.geteuid() != 0 or ctypes.CDLL(None).unshare(MOUNT_NAMESPACE) != 0:
            raise unittest.SkipTest("needs root and a mount namespace of its own")
        os.makedirs("disk", exist_ok=True)
        for words in (["--make-rprivate", "/"], ["-t", "tmpfs", "-o", "size=1m", "small", "disk"]):
            if subprocess.run(["mount", *words], check=False).returncode != 0:
                raise unittest.SkipTest("nothing can be mounted here")
        function()
    apart(run)


def fill():
    with contextlib.suppress(OSError), open("disk/FILLER", "wb", buffering=0) as file:
        for size in itertools.chain([65536] * 16, [512] * 128):
            file.write(b"\0" * size)
    assert os.statvfs("disk").f_bavail == 0


def refused_when_full(writer, with_state):
    """A link leads to the file on a full disk."""
    shutil.rmtree("hub")
    os.mkdir("hub")
    os.symlink(f"../disk/{writer.file}", writer.path)
    Path(writer.path).write_bytes(writer.old)
    if with_state:
        writer.write(SHORT)
    fill()
    try:
        writer.write(LONG * 20)
        raise AssertionError("it was written though the disk is full")
    except OSError as error:
        assert error.errno == errno.ENOSPC, error
    assert writer.read() == writer.old, f"torn: {len(writer.read())} bytes"
    assert os.path.islink(writer.path)
    shows("disk", writer.file, "FILLER")
    shows("hub", writer.file)
    os.remove("disk/FILLER")
    writer.write(LONG)
    assert os.path.islink(writer.path)
    assert Path("disk", writer.file).read_bytes() == writer.new


class FullDisk(ProgramCase):
    def problems(self, writer, with_state):
        try:
            on_a_full_disk(lambda: refused_when_full(writer, with_state))
        except AssertionError as error:
            return [str(error)]
        finally:
            shutil.rmtree("disk", ignore_errors=True)
        return []

    def test_a_full_disk_behind_a_link_leaves_the_old_bytes(self):
        on_a_full_disk(fill)  # or skips
        for name in WRITERS:
            for with_state in (False, True):
                with self.subTest(name, with_state=with_state):
                    self.assertEqual(self.problems(Writer("after", name), with_state), [])
        for name in WRITERS:
            self.assertFound(self.problems(Writer("before", name), False), "torn: ")


class Metadata(ProgramCase):
    kept = 0  # earlier versions that were looked at

    def modes(self, writer):
        """A file's mode, its folder's, and the widest of all that untorn keeps beside it."""
        found = []
        for mode in (0o600, 0o640, 0o644):
            writer.prepare(mode)
            writer.write(LONG)
            kept = [os.stat(path).st_mode & 0o777
                    for path in Path("hub").rglob(".untorn*/history/**/*") if path.is_file()]
            assert all(wider & ~mode == 0 for wider in kept), kept
            self.kept += len(kept)
            found.append((os.stat(writer.path).st_mode & 0o777, os.stat("hub").st_mode & 0o777))
        return found

    def test_the_mode_of_a_file_and_of_its_folder_stays(self):
        wanted = [(0o600, 0o700), (0o640, 0o700), (0o644, 0o700)]
        for name in WRITERS:
            self.assertEqual(self.modes(Writer("after", name)), wanted, name)
        self.assertGreater(self.kept, 10)
        with mock.patch.dict(WRITERS, full=("full.txt", replaced_by_hand)):
            self.assertNotEqual(self.modes(Writer("before", "full")), wanted)

    def test_new_files_and_folders_have_the_modes_they_had_before(self):
        self.addCleanup(os.umask, os.umask(0))
        for mask, name in itertools.product((0o022, 0o077), WRITERS):
            found = []
            for variant in ("before", "after"):
                writer = Writer(variant, name)
                shutil.rmtree("hub")
                os.umask(mask)
                writer.write(SHORT)
                found.append([os.stat(path).st_mode & 0o777 for path in ("hub", writer.path)])
            self.assertEqual(found, [[0o777 & ~mask, 0o666 & ~mask]] * 2, name)


class Crowd(ProgramCase):
    def kept(self, variant, crowd):
        """How many of those who add theirs at once are there, in each registry."""
        hub, (run, barrier) = load(variant, "skills_hub"), crowd
        stores = (hub.EnvironmentStore("environments.json"), hub.SkillsRegistry("lock.json"),
                  hub.TapsRegistry("taps.json"))
        counts = []
        for store, add in zip(stores, (
                lambda n: stores[0].set(f"name {n}", {"n": n}),
                lambda n: stores[1].install(f"name {n}", {"n": n}),
                lambda n: stores[2].add(f"name {n}"))):
            Path(store.path).unlink(missing_ok=True)
            store.save(store.load())
            gate = types.SimpleNamespace(**vars(json))
            gate.loads = after_all(barrier, json.loads)
            with mock.patch.object(hub, "json", json if variant == "after" else gate):
                run(add)
            counts.append(Path(store.path).read_text().count("name "))
        return counts

    def test_what_ten_threads_or_processes_add_at_once_is_there(self):
        for crowd in (threads, processes):
            self.assertEqual(self.kept("after", crowd(10)), [10, 10, 10])
            self.assertEqual(self.kept("before", crowd(10)), [1, 1, 1])

    def joined(self, variant, patience):
        writer = Writer(variant, "full")

        def judge(_):
            assert writer.read() in (writer.old, writer.new), "mixed"
        return joined_everywhere(writer.prepare, lambda _: writer.write(SHORT),
                                 lambda: writer.write(LONG), judge, patience)

    def test_two_who_write_at_once_are_not_mixed(self):
        self.assertEqual(self.joined("after", 0.02)[1], [])
        self.assertFound(self.joined("before", UNHURRIED)[1], "mixed")


class Damage(ProgramCase):
    def test_a_damaged_registry_is_told_and_left(self):
        for name in ("environments", "skills", "taps"):
            writer = Writer("after", name)
            for content in (b"", b"\0" * 30, writer.new[:-9]):
                Path(writer.path).write_bytes(content)
                with self.assertRaises(untorn.DamagedError) as caught:
                    writer.write(SHORT)
                json.loads(caught.exception.last_good)
                self.assertEqual(writer.read(), content)

    def test_a_damaged_or_old_cache_is_a_miss_and_is_filled_anew(self):
        damage = [b"", b"\0" * 30, b'["tor']
        for variant, contents in (("before", damage), ("after", [*damage, b"\xff"])):
            cache = load(variant, "skills_hub").IndexCache("index.json", 1000)
            for content in contents:
                self.put("index.json", content)
                self.assertIsNone(cache.get())
                cache.put(["new"])
                os.utime("index.json", (0, 0))
                self.assertIsNone(cache.get())
                cache.put(["new"])
                self.assertEqual(cache.get(), ["new"])


@unittest.skipIf(platform.machine() != "x86_64", "the numbers of system calls are of x86-64")
class Flush(ProgramCase):
    def steps(self, name):
        """F for each flush, R for each rename of a write, in order."""
        letters = {"74": "F", "75": "F", "82": "R", "264": "R", "316": "R"}
        writer = Writer("after", name)
        return "".join(letters.get(number, "") for number in
                       calls_of(writer.prepare, lambda _: writer.write(LONG)))

    def test_content_is_flushed_before_the_rename_and_the_name_after_it(self):
        for name in ("environments", "summary"):
            self.assertRegex(self.steps(name), "^F+RF+$")

    def test_a_cache_is_not_flushed(self):
        self.assertEqual(self.steps("index"), "R")


if __name__ == "__main__":
    main()
