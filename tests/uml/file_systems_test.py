#!/usr/bin/python3
# run: budget 60, timeout 1200
"""tests/withstand/file_systems.sh once more, on another kernel that has more file systems: NFS with
a server of its own, 9p, vfat, f2fs, jfs, minix.

A process takes its time to start there, so it is part of check-long only. NFS needs the packages
nfs-kernel-server and nfs-common, 9p needs diod; as these are servers, no target installs them."""

import os
import re
import signal
import sys
import tempfile

from machine import boot, missing

SCRIPT = "withstand/file_systems.sh"
LONGEST = 1100
LONG = bool(os.environ.get("UNTORN_LONG"))


def main():
    reason = missing() or ("takes minutes: make check-long" if not LONG else None)
    if reason:
        print(reason)
        return 77
    tests, build = os.environ["TESTS"], os.environ["BUILD"]
    with tempfile.TemporaryDirectory(prefix="uml", dir="/dev/shm") as folder:
        machine = boot(folder, f"{tests}/uml/guest", [], memory=512, variables={
            "SCRIPT": f"{tests}/{SCRIPT}", "TESTS": tests, "BUILD": build,
            "PYTHON": os.environ.get("PYTHON", "/usr/bin/python3")})
        signal.signal(signal.SIGALRM, lambda *_: os.killpg(machine.pid, signal.SIGKILL))
        signal.alarm(LONGEST)
        status = None
        for line in machine.stdout:
            line = line.decode(errors="replace").rstrip("\r\n")
            if ended := re.fullmatch(r"ended with status (\d+)", line):
                status = int(ended[1])
                break
            print(line, flush=True)
        signal.alarm(0)
        os.killpg(machine.pid, signal.SIGKILL)
        machine.wait()
    if status is None:
        print("FAIL the machine came to no end")
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
