"""Records what a scenario does to a block device, and judges what a power loss could leave of it.

The programs are block_log (the device), block_work (the scenario) and block_replay (the judge);
what each does stands at the top of its source. Everything is mounted in a namespace of our own,
and lies in memory.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BUILD = Path(os.environ["BUILD"])
PROGRAMS = BUILD / "tests"
AREA = Path("/dev/shm")
SUMMARY = re.compile(r"^(\d+) states, (\d+) bad, (\d+) unmountable, (\d+) flushes, (\d+) faults$",
                     re.M)

# How each is made, and the ways in which it is mounted: a seed takes one of them.
FILE_SYSTEMS = {
    "ext4": ("8M", "mkfs.ext4 -q -m 0 -b 4096 -E lazy_itable_init=0,lazy_journal_init=0",
             ["defaults", "discard", "data=journal", "data=writeback"]),
    "xfs": ("20M", "mkfs.xfs -q --unsupported", ["nouuid", "nouuid,discard"]),
    "btrfs": ("109M", "mkfs.btrfs -q", ["defaults", "discard", "compress=lzo"]),
}


class Cannot(Exception):
    """What is needed is not there."""


def own_mounts():
    """Goes on in a mount namespace of its own, with an empty place in memory."""
    if os.geteuid() != 0:
        raise Cannot("needs root, to mount file systems")
    if not (PROGRAMS / "block_log").exists():
        raise Cannot("block_log was not built: libfuse3-dev is missing")
    if not os.path.exists("/dev/fuse") or not os.path.exists("/dev/loop-control"):
        raise Cannot("needs /dev/fuse and loop devices")
    unshare = ["unshare", "--mount", "--propagation", "private"]
    if "OWN_MOUNTS" not in os.environ:
        if subprocess.run([*unshare, "true"], check=False).returncode != 0:
            raise Cannot("needs a mount namespace of its own")
        os.environ["OWN_MOUNTS"] = "1"
        os.execvp("unshare", [*unshare, sys.executable, *sys.argv])
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "block", AREA], check=True)


def lacks(kind):
    """Why there can be no such file system here; None if there can."""
    if not shutil.which(FILE_SYSTEMS[kind][1].split()[0]):
        return f"{FILE_SYSTEMS[kind][1].split()[0]} is missing"
    known = Path("/proc/filesystems").read_text().split()
    if kind not in known and subprocess.run(
            ["modprobe", "-q", kind], check=False, stderr=subprocess.DEVNULL).returncode != 0:
        return f"the kernel has no {kind}"
    return None


class Recording:
    """A log in memory. With `fault` (`write 3 5 once`) the device fails; `early`: a lie."""

    def __init__(self, kind, scenario, seed, updates=4, early=False, fault=None):
        self.kind, self.scenario, self.seed = kind, scenario, seed
        name = f"{kind}-{scenario}-{seed}"
        if early:
            name += "-early"
        if fault:
            name += "-" + fault.replace(" ", "-")
        self.name = name
        self.place = AREA / name
        self.log = AREA / f"{name}.log"
        options = ["--early"] if early else []
        if fault:
            options += ["--fail", fault]
        self.device, self.point = self.place / "device", self.place / "mounted"
        for directory in (self.place, self.device, self.point):
            directory.mkdir()
        self.make_image()
        self.record([scenario, str(seed), str(updates)], options)
        shutil.rmtree(self.place)

    def make_image(self):
        size, make, _ = FILE_SYSTEMS[self.kind]
        image = self.place / "image"
        run(["truncate", "-s", size, image])
        run([*make.split(), image])

    def record(self, words, options):
        ways = FILE_SYSTEMS[self.kind][2]
        device = subprocess.Popen(
            [PROGRAMS / "block_log", self.place / "image", self.device, self.log],
            stdout=subprocess.PIPE, text=True)
        try:
            if device.stdout.readline() != "ready\n":
                raise Cannot("nothing can be mounted with FUSE")
            run(["mount", "-t", self.kind, "-o", "loop," + ways[self.seed % len(ways)],
                 self.device / "disk", self.point])
            try:
                run([PROGRAMS / "block_work", *words, self.point, self.device / "control",
                     self.kind, *options])
            finally:
                run(["umount", self.point])
        finally:
            subprocess.run(["umount", "--lazy", self.device], check=False)
            device.wait(60)
            device.stdout.close()

    def replay(self, *options, keep=False):
        """What block_replay prints and counts. keep: a log with bad states outlives the suite."""
        if keep:
            (BUILD / "block").mkdir(exist_ok=True)
            options = ["--keep", BUILD / "block" / f"{self.name}.log", *options]
        done = subprocess.run(
            [PROGRAMS / "block_replay", "--seed", str(self.seed), *options, self.log],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            check=False)
        return Verdict(done.stdout, done.returncode)

    def forget(self):
        self.log.unlink()


class Verdict:
    """What became of one log."""

    def __init__(self, output, status=2):
        self.output = output
        counts = SUMMARY.search(output)
        self.broken = counts is None or status not in (0, 1)
        numbers = [int(number) for number in counts.groups()] if counts else [0, 0, 0, 0, 0]
        self.states, self.bad, self.unmountable, self.flushes, self.faults = numbers


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    if done.returncode != 0:
        words = " ".join(str(word) for word in command)
        raise RuntimeError(f"{words}: status {done.returncode}\n{done.stdout}")
    return done.stdout
