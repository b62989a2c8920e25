#!/usr/bin/python3
"""capabilities.py UNTORN DIRECTORY: what `untorn probe` says of it, against what system calls do.

The calls are made here by themselves, not by the library: a probe that says what it hopes for
fails.
"""

import ctypes
import errno
import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

NO_REPLACE, EXCHANGE = 1, 2
AT_FDCWD = -100
ACL_NOT_THERE = (errno.EOPNOTSUPP, errno.ENOSYS)
LIBC = ctypes.CDLL(None, use_errno=True)


def rename(old, new, flags=0):
    if LIBC.renameat2(AT_FDCWD, os.fsencode(old), AT_FDCWD, os.fsencode(new), flags):
        raise OSError(ctypes.get_errno(), "rename")


def succeeds(action):
    try:
        action()
    except OSError:
        return False
    return True


def fails_with(code, action):
    try:
        action()
    except OSError as error:
        return error.errno == code
    return False


def excludes(path):
    with open(path, "r+") as first, open(path, "r+") as second:  # as NFS wants it
        fcntl.flock(first, fcntl.LOCK_EX)
        return fails_with(errno.EWOULDBLOCK,
                          lambda: fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB))


def flush(directory):
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def has_acl(path):
    try:
        os.getxattr(path, "system.posix_acl_access")
    except OSError as error:
        return error.errno not in ACL_NOT_THERE
    return True


def tried(folder):
    a, b, c = folder / "a", folder / "b", folder / "c"
    for path in (a, b):
        path.write_text(path.name)
    seen = {
        "writable": True,
        "lock": excludes(a),
        "exchange": succeeds(lambda: rename(a, b, EXCHANGE)) and a.read_text() == "b",
        "hard_link": succeeds(lambda: os.link(a, c)),
        "create_no_replace": fails_with(errno.EEXIST, lambda: rename(a, b, NO_REPLACE)),
        "extended_attributes": succeeds(lambda: os.setxattr(a, "user.untorn-test", b"1")),
        "acl": has_acl(a),
        "directory_flush": succeeds(lambda: flush(folder)),
        "case_insensitive": (folder / "A").exists(),
    }
    seen["replace"] = succeeds(lambda: rename(a, b)) and not a.exists()
    return seen


def main():
    untorn, directory = sys.argv[1:]
    told = json.loads(subprocess.run([untorn, "probe", "--report", directory], check=True,
                                     stdout=subprocess.PIPE).stdout)
    folder = Path(directory) / "trial"
    folder.mkdir()
    seen = tried(folder)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    wrong = {name: (told[name], value) for name, value in seen.items() if told[name] != value}
    for name, (says, does) in wrong.items():
        print(f"{told['filesystem']}: {name}: probe says {says}, but it is {does}")
    missing = [name for name, value in seen.items() if not value and name != "case_insensitive"]
    print(f"    {told['filesystem']}: without {', '.join(missing) or 'nothing'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
