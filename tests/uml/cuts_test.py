#!/usr/bin/python3
# run: serial, budget 30, timeout 3600
"""A machine whose power is cut in the middle of its work leaves what untorn promises.

The machine is a user-mode Linux: another kernel than the one below, with ext4, xfs and btrfs of its
own on three images. Killing it ends all at once, and the images are as far as its kernel had
written them. They are then mounted here, by the kernel of this machine, recovered, and judged by
what the program in it (tests/driver/power_work.c) had acknowledged. The same images go on into the
next cut.

UNTORN_LONG=1: 500 cuts. A finding's image stays in BUILD/power, and how to look at it is said.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from machine import boot, go_on_with_own_mounts, missing

BUILD = Path(os.environ["BUILD"])
LONG = bool(os.environ.get("UNTORN_LONG"))
CUTS = 500 if LONG else 4
MACHINES = 2
CUTS_BEFORE_NEW_IMAGES = 25
MOST_CUTS_OF_A_CONTROL = 12
LONGEST_WORK = 0.5  # seconds from the first change to the cut
BOOT_SECONDS = 120

IMAGES = {
    "ext4": (16, ["mkfs.ext4", "-q", "-F"]),
    "xfs": (320, ["mkfs.xfs", "-q", "-f"]),
    "btrfs": (120, ["mkfs.btrfs", "-q", "-f"]),
}
FILES = ("single", "set", "log", "state")
SET = ("one/a", "one/b", "two/c")


class Finding(Exception):
    pass


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                          **more).stdout


def unmount(point):
    """Whoever lists all mounts keeps one busy for a moment."""
    for _ in range(100):
        if subprocess.run(["umount", point], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.05)
    run("umount", point)


def body(n):
    """What tests/driver/power_work.c writes in round n."""
    return f"{n}\n" * (1 + n * 37 % 2000)


class Disk:
    """One image, and what may be in its files: of each, the last round that is known to be there,
    and whether the one after it was under way."""

    def __init__(self, folder, filesystem):
        self.filesystem = filesystem
        self.image = folder / f"{filesystem}.img"
        self.known = dict.fromkeys(FILES, 0)
        self.logged = []
        size, maker = IMAGES[filesystem]
        self.image.unlink(missing_ok=True)
        with open(self.image, "wb") as file:
            file.truncate(size << 20)
        run(*maker, self.image)

    def note(self, lines):
        for line in lines:
            if match := re.fullmatch(rf"{self.filesystem} (\w+) (\d+)", line):
                self.known[match[1]] = int(match[2])
                if match[1] == "log":
                    self.logged.append(int(match[2]))

    def judge(self, point, first):
        run("mount", "-o", "loop", self.image, point)
        try:
            self.judge_mounted(Path(point), first)
        finally:
            unmount(point)

    def judge_mounted(self, point, first):
        if not (point / "two").exists() and not any(self.known.values()):
            return  # cut before the first folder was there
        self.judge_file(point / "single", "single", first)  # as anybody reads it, before recovery
        done = subprocess.run([BUILD / "untorn", "check", "--repair", "."], cwd=point,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Finding(f"check --repair: {done.returncode}\n{done.stdout}{done.stderr}")
        done = subprocess.run([BUILD / "untorn", "check", "."], cwd=point, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0 or done.stdout:
            raise Finding(f"left behind: {done.returncode}\n{done.stdout}{done.stderr}")
        self.known["single"] = self.judge_file(point / "single", "single", first)
        rounds = {name: self.judge_file(point / name, "set", first) for name in SET}
        if len(set(rounds.values())) > 1:
            raise Finding(f"mixed: {rounds}")
        self.known["set"] = rounds[SET[0]]
        self.judge_log(point / "log.jsonl", first)
        self.judge_state(point / "state.toml", first)

    def settle(self, what, n, first):
        """n is what is there: all that was acknowledged, and of the rest at most the next round."""
        under_way = max(self.known[what] + 1, first)
        if n not in (self.known[what], under_way):
            raise Finding(f"{what} is of round {n}: {self.known[what]} was acknowledged")
        return n

    def judge_file(self, path, what, first):
        text = path.read_text() if path.exists() else ""
        n = int(text.split("\n", 1)[0] or 0) if re.match(r"\d+\n", text) else 0
        if text != (body(n) if n else ""):
            raise Finding(f"{path.name} is torn: {len(text)} bytes, {text[:40]!r}")
        return self.settle(what, n, first)

    def judge_log(self, path, first):
        lines = path.read_text().splitlines() if path.exists() else []
        rounds = [int(re.fullmatch(r'\{"n": (\d+)\}', line)[1]) for line in lines]
        under_way = max(self.known["log"] + 1, first)
        if rounds not in (self.logged, [*self.logged, under_way]):
            raise Finding(f"the log ends with {rounds[-3:]}, acknowledged was {self.logged[-3:]}")
        self.logged = rounds
        self.known["log"] = rounds[-1] if rounds else 0

    def judge_state(self, path, first):
        n = tomllib.loads(path.read_text())["count"]["n"] if path.exists() else 0
        self.known["state"] = self.settle("state", n, first)


class Machine:
    def __init__(self, folder, variant, seed):
        self.folder, self.variant = folder, variant
        self.random = random.Random(seed)
        self.cuts = self.acknowledged = 0
        self.point = folder / "point"
        self.point.mkdir(parents=True)
        self.insert_new_images()

    def insert_new_images(self):
        self.disks = [Disk(self.folder, filesystem) for filesystem in IMAGES]
        self.first = 1

    def boot(self):
        specs = [f"{disk.filesystem}=/dev/ubd{letter}" for letter, disk in zip("abc", self.disks)]
        words = [self.variant, str(self.first), *specs]
        return boot(self.folder, BUILD / "tests/power_work", words,
                    [disk.image for disk in self.disks], {"LD_LIBRARY_PATH": BUILD})

    def lines_until_the_cut(self):
        machine = self.boot()
        os.set_blocking(machine.stdout.fileno(), False)
        text, cut_at, give_up = b"", None, time.monotonic() + BOOT_SECONDS
        try:
            while cut_at is None or time.monotonic() < cut_at:
                text += machine.stdout.read() or b""
                if cut_at is None and b"ready" in text:
                    cut_at = time.monotonic() + self.random.uniform(0, LONGEST_WORK)
                if machine.poll() is not None or b"failed:" in text or time.monotonic() > give_up:
                    raise RuntimeError(f"the machine did not work:\n{text.decode()[:1000]}")
                time.sleep(0.001)
        finally:
            os.killpg(machine.pid, signal.SIGKILL)
            machine.wait()
        os.set_blocking(machine.stdout.fileno(), True)
        text += machine.stdout.read()
        machine.stdout.close()
        return text.decode().replace("\r", "").split("\n")[:-1]  # half a line counts for nothing

    def cut(self):
        """One cut of the power, and a look at each disk."""
        if self.cuts % CUTS_BEFORE_NEW_IMAGES == 0 and self.cuts:
            self.insert_new_images()
        lines = self.lines_until_the_cut()
        self.cuts += 1
        for disk in self.disks:
            disk.note(lines)
            try:
                disk.judge(self.point, self.first)
            except Finding as finding:
                raise Finding(f"{disk.filesystem}, cut {self.cuts}: {finding}\n"
                              f"{self.keep(disk)}") from finding
        self.acknowledged += sum(" ".join(line.split()[:1]) in IMAGES for line in lines)
        self.first = 1 + max(max(disk.known.values()) for disk in self.disks)

    def keep(self, disk):
        if self.variant != "good":
            return ""
        kept = BUILD / "power"
        kept.mkdir(exist_ok=True)
        shutil.copy(disk.image, kept)
        return f"to look at it, as recovery left it: mount -o loop {kept / disk.image.name} /mnt"


def makers_missing():
    for _, maker in IMAGES.values():
        if not shutil.which(maker[0]):
            return f"needs {maker[0]}"
    return None


def cut_often(folder, variant, seed, cuts):
    machine = Machine(folder, variant, seed)
    while machine.cuts < cuts:
        machine.cut()
    return machine


def nothing_is_lost(folder, seed):
    with ThreadPoolExecutor(MACHINES) as pool:
        machines = [pool.submit(cut_often, folder / f"good{i}", "good", f"{seed}-{i}",
                                CUTS // MACHINES) for i in range(MACHINES)]
        machines = [machine.result() for machine in machines]
    cuts = sum(machine.cuts for machine in machines)
    acknowledged = sum(machine.acknowledged for machine in machines)
    if acknowledged < cuts:
        raise Finding(f"{cuts} cuts, but hardly anything was done: {acknowledged}")
    print(f"    {cuts} cuts, {cuts * len(IMAGES)} disks mounted, {acknowledged} acknowledged")
    print(f"tally: power cuts {cuts}")


def is_caught(variant, sign):
    def control(folder, seed):
        try:
            cut_often(folder / variant, variant, seed, MOST_CUTS_OF_A_CONTROL)
        except Finding as finding:
            if sign not in str(finding):
                raise
            return
        raise Finding(f"{MOST_CUTS_OF_A_CONTROL} cuts, and nothing was noticed")
    return control


CASES = {
    "after a power cut every file is whole, and what was acknowledged is there": nothing_is_lost,
    "control: what is acknowledged without a flush is seen to be lost":
        is_caught("cache", "acknowledged"),
    "control: files of a set that change one after the other are seen mixed":
        is_caught("apart", "mixed"),
}


def main():
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    reason = missing() or makers_missing()
    if reason:
        print(reason)
        return 77
    go_on_with_own_mounts([sys.executable, *sys.argv])
    seed = os.environ.get("UNTORN_SEED") or str(random.randrange(1 << 32))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="power", dir="/dev/shm") as folder:
        for sentence, case in CASES.items():
            try:
                case(Path(folder), seed)
                print(f"ok  {sentence}")
            except (Finding, RuntimeError, subprocess.CalledProcessError) as error:
                failed += 1
                print(f"FAIL {sentence} (UNTORN_SEED={seed})\n{error}"
                      f"{getattr(error, 'stderr', '') or ''}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
