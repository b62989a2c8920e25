"""A disk that is full: a small file system of our own, or a limit on the size of files."""

import ctypes
import os
import resource

_LIBC = ctypes.CDLL(None, use_errno=True)
_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000
_RECURSIVE, _PRIVATE = 16384, 1 << 18
SIZE = 512 << 10


def mount(place):
    """Puts an empty file system of SIZE bytes there, seen by this process and its children only.

    It is gone with the last of them. Returns whether that could be done.
    """
    user, group = os.getuid(), os.getgid()
    if _LIBC.unshare(_NEW_MOUNTS) != 0:
        if _LIBC.unshare(_NEW_MOUNTS | _NEW_USER) != 0:
            return False
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"),
                           ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    return (_LIBC.mount(None, b"/", None, _RECURSIVE | _PRIVATE, None) == 0 and
            _LIBC.mount(b"tmpfs", os.fsencode(place), b"tmpfs", 0, f"size={SIZE}".encode()) == 0)


def fill(place):
    """Leaves no byte free. Returns the file to be removed again."""
    path = os.path.join(place, "filler")
    with open(path, "wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                pass
    return path


def limit(size):
    """From here on no file of this process can grow beyond this size."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
