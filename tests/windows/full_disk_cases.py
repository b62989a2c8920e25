#!/usr/bin/python3
"""A disk without room, as a drive of Wine: the old bytes stay, and the answer says why.

Run by tests/windows/cli.py. UNTORN_LONG tries every amount of free space.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))

from lib import case, expect, main, untorn  # noqa: E402

PLACE = Path.cwd() / "place"
DISK = PLACE / "disk"
DRIVE = Path(os.environ["WINEPREFIX"]) / "dosdevices/y:"
OLD = "".join(f"{i}\n" for i in range(2000)).encode()
NEW = "".join(f"{i}\n" for i in range(9000)).encode()
PAGE, MOST = 4096, 40
STEP = 1 if os.environ.get("UNTORN_LONG") else 13 if "quick" in sys.argv else 5


def mount():
    """A small disk at Y:, in memory; False where there is no loop device."""
    PLACE.mkdir()
    image = PLACE / "image"
    if not os.environ.get("OWN_MOUNTS") or not runs("mount", "-t", "tmpfs", "none", PLACE):
        return False
    image.touch()
    os.truncate(image, 2 << 20)
    DISK.mkdir()
    if not runs("mkfs.ext4", "-q", "-m", "0", "-b", "1024", "-O", "^has_journal", image) or \
            not runs("mount", "-o", "loop", image, DISK):
        return False
    (DISK / "lost+found").rmdir()
    DRIVE.unlink(missing_ok=True)
    DRIVE.symlink_to(DISK)
    return True


def runs(*words):
    return subprocess.run(words, stderr=subprocess.DEVNULL, check=False).returncode == 0


def write_in_place(file, data):
    """As far as there is room. Whether all of it was written."""
    try:
        with open(file, "r+b", buffering=0) as out:
            while data:
                data = data[out.write(data):]
                os.fsync(out)
        return True
    except OSError:
        return False


def fill():
    """To the last byte."""
    with open(DISK / "FILLER", "ab", buffering=0) as filler:
        for size in (1 << 16, 512):
            try:
                while True:
                    filler.write(bytes(size))
                    os.fsync(filler)
            except OSError:
                pass


def prepare(free):
    """Only an old version, and so many pages of room."""
    for entry in DISK.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    (DISK / "f").write_bytes(OLD)
    fill()
    filler = DISK / "FILLER"
    os.truncate(filler, filler.stat().st_size - free * PAGE)


def judge(status, message):
    found = (DISK / "f").read_bytes()
    if status == 0:
        assert found == NEW, f"it said that it is done; {len(found)} bytes are there"
    else:
        assert status == 1 and "no space" in message, (status, message)
        assert found == OLD, f"it said that it failed; {len(found)} bytes are there"


def judge_rest():
    """After the next call, with room."""
    (DISK / "FILLER").unlink(missing_ok=True)
    expect(0, "write", "Y:\\f", "new")
    assert (DISK / "f").read_bytes() == NEW
    expect(0, "check", "Y:\\")
    names = {entry.name for entry in DISK.iterdir()}
    left = [str(file) for file in DISK.rglob("*") if "stage" in file.parts[:-1] or
            "gone" in file.name]
    assert names == {"f", ".untorn"} and not left, (names, left)


def catches(function, *words):
    try:
        function(*words)
    except AssertionError:
        return
    raise AssertionError("not seen")


@case
def at_every_amount_of_free_space_the_answer_agrees_with_the_file():
    Path("new").write_bytes(NEW)
    refused = done = 0
    for free in range(0, MOST + 1, STEP):
        prepare(free)
        result = untorn("write", "Y:\\f", "new")
        judge(result.status, result.err)
        judge_rest()
        refused, done = refused + (result.status != 0), done + (result.status == 0)
    assert refused and done, (refused, done)
    print(f"    {refused} amounts of free space refused, {done} sufficed")


@case
def a_disk_that_filled_up_after_the_first_write_is_refused_the_same_way():
    Path("new").write_bytes(NEW)
    prepare(MOST)
    expect(0, "append", "Y:\\f", stdin=b"")
    fill()
    for words in (["append", "Y:\\f"], ["update", "Y:\\f", "--", "cat", "new"]):
        result = untorn(*words, stdin=NEW)
        assert result.status == 1, result
        judge(result.status, result.err)
    judge_rest()


@case
def one_that_writes_over_the_old_version_is_caught():
    prepare(1)
    assert not write_in_place(DISK / "f", NEW)
    catches(judge, 1, "no space")
    catches(judge, 0, "")


@case
def one_that_leaves_something_behind_is_caught():
    Path("new").write_bytes(NEW)
    prepare(MOST)
    (DISK / ".untorn/stage").mkdir(parents=True)
    for name in ("f.tmp", ".untorn/stage/f.tmp"):
        (DISK / name).write_bytes(OLD)
        catches(judge_rest)
        (DISK / name).unlink()
    judge_rest()


if __name__ == "__main__":
    if not mount():
        print("needs root, a mount of its own and a loop device")
        sys.exit(77)
    try:
        main()
    finally:
        DRIVE.unlink()
        runs("umount", DISK)
        runs("umount", PLACE)
