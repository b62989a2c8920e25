#!/usr/bin/python3
# run: budget 20
"""The page about moving to untorn: both sides of every pair run and come to the same, and what it
says of the others is so."""

import importlib.util
import json
import os
import re
import stat
import threading
from pathlib import Path

from support import Case, end, main, start, untorn

PAGE = (Path(os.environ["TESTS"]).parent / "docs/guide/migrating.md").read_text()
OTHERS = ["atomicwrites", "filelock", "portalocker", "tomlkit"]
BLOCK = re.compile(r"^```py\n(.*?)^```$", re.M | re.S)
PAIR = re.compile(r"^You wrote:\n\n```py\n(.*?)^```\n\nYou write:\n\n```py\n(.*?)^```$",
                  re.M | re.S)
ROW = re.compile(r"^\| `([^`|]+)` \| `([^`|]+)` \|$", re.M)
OWN = re.compile(r"\.(lock|untorn)$")
FILES = {"state.json": '{"runs": 1}', "notes.txt": "old\n", "new.txt": "new\n",
         "log.txt": "begin\n", "app.toml": "# kept\n[server]\nport = 80 # proxy\ndebug = true\n"}
FIRST = BLOCK.search(PAGE)[1]
IMPORTS = FIRST + "import filelock, portalocker, tomlkit\n" \
    "from atomicwrites import atomic_write, move_atomic, replace_atomic\n"


def value_of(code, names):
    """What a one-line example gives, as far as it can be compared; what it opens is written to."""
    result = eval(code, names)
    if re.match(r"atomic_write|untorn\.open", code):
        with result as file:
            file.write(b"content")
    elif ".write(" not in code and isinstance(result, (str, int, dict)):
        return result
    return None


def content_of(file):
    """Documents count as what they mean: their layout may be another."""
    text = file.read_text()
    return json.loads(text) if file.suffix == ".json" else text


def left_in(folder):
    return {file.name: content_of(file) for file in Path(folder).iterdir()
            if not OWN.search(file.name)}


def run_side(folder, code, is_row):
    """In a folder with the files that the examples are about: what is left, and the value."""
    os.mkdir(folder)
    for name, text in FILES.items():
        Path(folder, name).write_text(text)
    home, names, value = os.getcwd(), {}, None
    os.chdir(folder)
    try:
        exec(IMPORTS, names)
        if is_row:
            value = value_of(code, names)
        else:
            exec(code, names)
        names.clear()  # a file that nobody closed
    finally:
        os.chdir(home)
    return left_in(folder), value


class Page(Case):
    def setUp(self):
        super().setUp()
        for other in OTHERS:
            if importlib.util.find_spec(other) is None:
                self.skipTest(f"needs the Python module {other}")

    def test_both_sides_of_every_pair_come_to_the_same(self):
        pairs = [(wrote, write, False) for wrote, write in PAIR.findall(PAGE)]
        self.assertEqual(len(pairs), PAGE.count("You wrote:"))
        self.assertEqual(len(pairs), 5)
        rows = [(*row, True) for row in ROW.findall(PAGE)]
        self.assertEqual(len(rows), PAGE.count("\n| `"))
        for number, (wrote, write, is_row) in enumerate(pairs + rows):
            before = run_side(f"wrote-{number}", wrote, is_row)
            after = run_side(f"write-{number}", write, is_row)
            self.assertEqual(before, after, write)

    def test_a_pair_that_differs_would_be_seen(self):
        one = run_side("a", 'untorn.set("app.toml", "server.port", 1)', False)
        other = run_side("b", 'untorn.set("app.toml", "server.port", 2)', False)
        self.assertNotEqual(one, other)
        self.assertNotEqual(run_side("c", "len([1])", True), run_side("d", "len([])", True))

    def test_all_blocks_run_one_after_the_other(self):
        for name, text in FILES.items():
            self.put(name, text)
        names = {}
        for block in BLOCK.findall(PAGE):
            exec(block, names)
        self.assertEqual(untorn.read_json("state.json"), {"runs": 5, "by": "untorn"})

    def test_what_it_says_of_atomicwrites(self):
        import atomicwrites
        self.put("old", "old")
        os.chmod("old", 0o644)
        os.symlink("old", "link")
        for path in ("old", "link"):
            with atomicwrites.atomic_write(path, overwrite=True) as file:
                file.write("new")
        self.assertEqual(stat.S_IMODE(os.stat("old").st_mode), 0o600)
        self.assertFalse(os.path.islink("link"))
        with atomicwrites.atomic_write("old", overwrite=True) as file:
            os.symlink("old", "ours")
            os.chmod("old", 0o644)
        os.chmod("old", 0o644)
        with untorn.open("ours", "w") as file:
            file.write("new")
        self.assertEqual(stat.S_IMODE(os.stat("old").st_mode), 0o644)
        self.assertTrue(os.path.islink("ours"))

    def test_an_existing_file_is_refused_when_the_page_says_so(self):
        self.put("there", "old")
        with self.assertRaises(FileExistsError):
            with untorn.open("there", "x") as file:
                began = file.write("mine")
        self.assertEqual(began, 4)
        with self.assertRaises(FileExistsError):
            with untorn.open("later", "x") as file:
                file.write("mine")
                self.put("later", "theirs")
        self.check("later", "theirs")
        self.put("new.txt", "new\n")
        with self.assertRaises(FileExistsError):
            untorn.replace("new.txt", "there", exclusive=True)
        self.check("there", "old")
        self.check("new.txt", "new\n")

    def test_threads_that_share_a_lock(self):
        import filelock

        def second(lock):
            got = []

            def take():
                try:
                    lock.acquire()
                    got.append(True)
                    lock.release()
                except TimeoutError:
                    got.append(False)
            thread = threading.Thread(target=take)
            thread.start()
            thread.join()
            return got[0]

        ours = untorn.Lock("ours", timeout=0)
        with ours:
            self.assertFalse(second(ours))
        # Newer versions of filelock have one for each thread unless they are told otherwise.
        more = {"thread_local": False} if hasattr(filelock.FileLock, "is_thread_local") else {}
        theirs = filelock.FileLock("theirs.lock", timeout=0, **more)
        with theirs:
            self.assertTrue(second(theirs))

    def test_who_uses_filelock_and_who_has_moved_lose_nothing(self):
        self.put("state.json", '{"runs": 0}')
        wrote = """
            import filelock, json
            for _ in range(15):
                with filelock.FileLock("state.json.lock"):
                    with open("state.json") as file:
                        state = json.load(file)
                    state["runs"] += 1
                    with open("state.json", "w") as file:
                        json.dump(state, file)
        """
        write = """
            for _ in range(15):
                untorn.update("state.json", lambda state: {"runs": state["runs"] + 1},
                              lock_file="state.json.lock", level="cache")
        """
        for process in [start(code) for code in (wrote, write, wrote, write)]:
            end(process)
        self.assertEqual(untorn.read_json("state.json"), {"runs": 60})


if __name__ == "__main__":
    main()
