"""The lock of a file, held across work of your own."""

import os
import threading
from collections import namedtuple

from . import _untorn
from ._options import pack

Holder = namedtuple("Holder", "shared alive pid since host command")
Holder.__doc__ = """Who holds a lock. pid and since are 0, host and command empty, if not known;
alive is false if only something that the process started holds the lock."""


class Lock:
    """with untorn.Lock("state.json"): ...

    The lock that all writers of the file take; inside it their calls nest. It ends with its holder,
    whatever happens to that. Re-entrant: the same thread may take it again; other threads and
    processes wait, `timeout` seconds (None: 10, 0: not at all), then LockTimeout. shared=True: with
    others who read. lock_file: the lock of flock(1) and filelock instead. A child process after a
    fork holds nothing.
    """

    def __init__(self, path, timeout=None, *, shared=False, lock_file=None, parents=False,
                 symlink="follow", strict=False, state_dir=None):
        self.path, self._shared = path, shared
        self._name = os.fsencode(path)
        self._options = pack(timeout=timeout, lock_file=lock_file, parents=parents,
                             symlink=symlink, strict=strict, state_dir=state_dir)
        self._held = threading.local()

    def _mine(self):
        """The locks of this thread of this process; a child after a fork has none."""
        if getattr(self._held, "process", None) != os.getpid():
            self._held.process, self._held.locks = os.getpid(), []
        return self._held.locks

    def acquire(self):
        """LockTimeout if it is not free in time."""
        self._mine().append(_untorn.lock(self._name, self._shared, self._options))

    def release(self):
        """From the thread that acquired it, as often as that did."""
        if not self._mine():
            raise RuntimeError("release of a lock that this thread does not hold")
        self._mine().pop()

    @property
    def held(self):
        """Whether this thread holds it through this object."""
        return bool(self._mine())

    def who(self):
        """The Holder, None if it is free. For people: by now it may be someone else."""
        return _who(self._name, self._options)

    def __enter__(self):
        self.acquire()
        return self

    def __exit__(self, *_):
        self.release()


def who(path, **options):
    """The Holder of the file's lock; None if it is free."""
    return _who(os.fsencode(path), pack(**options))


def _who(path, packed):
    found = _untorn.who(path, packed)
    return Holder(*found) if found else None
