"""Earlier versions of a file."""

import os
from collections import namedtuple

from . import _untorn
from ._joining import refuse_member
from ._options import pack

Version = namedtuple("Version", "number time size hash whole set")
Version.__doc__ = """An earlier version. number: 1 is the previous one. time: when it was written,
seconds since 1970. whole: it still has the content it was kept with. set: names the commit of
several files that replaced it, or None."""


def history(path, *, symlink="follow", state_dir=None):
    """The earlier versions, from the newest to the oldest: a list of Version. Every replace keeps
    the version before it, one unless `keep` says otherwise."""
    return [Version(*row) for row in
            _untorn.log(os.fsencode(path), pack(symlink=symlink, state_dir=state_dir))]


def read_version(path, number=1, *, symlink="follow", state_dir=None):
    """The bytes of an earlier version; NoKeyError if there is none of that number."""
    return _untorn.version_read(os.fsencode(path), number,
                                pack(symlink=symlink, state_dir=state_dir))


def undo(path, **options):
    """The previous version is back; undo again, and it is forth. A file that was committed together
    with others goes back together with them. Returns the paths of all files that changed."""
    path = os.fsencode(path)
    refuse_member(path, **options)
    return _untorn.undo(path, 0, pack(**options))


def restore(path, number, **options):
    """Makes an earlier version the current one; what was current becomes version 1."""
    if number < 1:
        raise ValueError(f"versions are counted from 1; not {number!r}")
    path = os.fsencode(path)
    refuse_member(path, **options)
    _untorn.undo(path, number, pack(**options))
