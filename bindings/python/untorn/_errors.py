"""What can go wrong, as exceptions: one for each kind of thing that a caller may do about it.

Every status of the C library is one of them (STATUSES); those behind which the operating system may
stand are OSErrors with errno and filename.
"""

import errno as _errno

from . import _untorn


class Error(Exception):
    """Of everything that untorn raises. The old content certainly stays, unless it is a
    NotSettledError.

    status: the name in the list of statuses, "NO_SPACE". step: what was being done, or None. path:
    the file, or "". detail: who holds the lock, where a version is kept; or "". flags: words as in
    the report line of the command. position: the byte at which content is wrong, or None. os_error:
    a number of the module errno, or 0.
    """

    status = ""
    step = None
    path = ""
    detail = ""
    flags = ()
    position = None
    os_error = 0
    text = ""

    def __str__(self):
        return self.text or super().__str__()


class FileError(Error, OSError):
    """The operating system, or the state of the file system, stands against it."""


class MissingError(FileError, FileNotFoundError):
    """There is no such file."""


class ExistsError(FileError, FileExistsError):
    """The file exists already, and was to be created."""


class DeniedError(FileError, PermissionError):
    """Permission denied."""


class LockTimeout(FileError, TimeoutError):
    """The lock was not obtained in time; `detail` names who has it."""


class ChangedError(Error):
    """The file is not the version that was expected, or a test of a patch failed."""


class NotSettledError(Error):
    """The new content is visible, or may become so with the next call; that it survives a power
    loss is not confirmed. The only exception after which the old content may be gone."""


class DamagedError(Error):
    """The file is not what it should be, and is left as it is.

    verdict: "empty", "nul", "truncated" or "syntax"; or None of what is no document. content: the
    bytes, where they were read. last_good: the bytes of the newest earlier version that is whole,
    or None; last_good_version: its number, as history() counts.
    """

    verdict = None
    content = None
    last_good = None
    last_good_version = None


class MixedError(Error):
    """The files of a set are not of one commit. contents: what read_set() would have returned."""

    contents = None


class NoKeyError(Error, KeyError):
    """There is no such key, or no such earlier version."""


class UsageError(Error, ValueError):
    """The call does not make sense: a key that is none, a format that is not known."""


class ValueTypeError(Error, TypeError):
    """The value has another type than the one it replaces, or than the format has."""


class OutOfMemory(Error, MemoryError):
    """Out of memory."""


STATUSES = {
    "OK": Error,
    "INVALID": UsageError,
    "MISSING": MissingError,
    "NOT_A_FILE": FileError,
    "DAMAGED": DamagedError,
    "CHANGED": ChangedError,
    "EXISTS": ExistsError,
    "LOCKED": LockTimeout,
    "NO_SPACE": FileError,
    "DENIED": DeniedError,
    "READ_ONLY": FileError,
    "IO": FileError,
    "LINK_LOOP": FileError,
    "LINK_REFUSED": FileError,
    "NO_STATE": FileError,
    "UNTRUSTED": FileError,
    "NEWER_FORMAT": Error,
    "UNSUPPORTED": FileError,
    "NO_MEMORY": OutOfMemory,
    "TOO_LARGE": FileError,
    "REFUSED": Error,
    "DEADLOCK": Error,
    "RESTLESS": Error,
    "NAME": UsageError,
    "FAILED": FileError,
    "NO_KEY": NoKeyError,
    "TYPE": ValueTypeError,
    "AMBIGUOUS": UsageError,
    "TEST_FAILED": ChangedError,
    "UNKNOWN_FORMAT": UsageError,
    "NOT_A_DOCUMENT": UsageError,
    "MISPLANNED": Error,
    "IN_DOUBT": Error,
    "NO_VERSION": NoKeyError,
    "MIXED": MixedError,
    "NOT_ALLOWED": UsageError,
    "MISFIT": DamagedError,
    "UNFINISHED": Error,
    "UNSETTLED_FLUSH": NotSettledError,
    "UNSETTLED_IN_PLACE": NotSettledError,
    "UNSETTLED_SET": NotSettledError,
    "UNSETTLED_COMBINED": NotSettledError,
}

# Where the library found it out by itself: what the system would have said.
_ERRNO = {
    "MISSING": _errno.ENOENT, "NOT_A_FILE": _errno.EINVAL, "EXISTS": _errno.EEXIST,
    "LOCKED": _errno.ETIMEDOUT, "NO_SPACE": _errno.ENOSPC, "DENIED": _errno.EACCES,
    "READ_ONLY": _errno.EROFS, "IO": _errno.EIO, "LINK_LOOP": _errno.ELOOP,
    "LINK_REFUSED": _errno.ELOOP, "NO_STATE": _errno.EACCES, "UNTRUSTED": _errno.EPERM,
    "UNSUPPORTED": _errno.EOPNOTSUPP, "TOO_LARGE": _errno.EFBIG, "FAILED": _errno.EIO,
}
# Where Windows has two numbers for it Python takes that of sockets, the C library the other.
_OF_PYTHON = {_untorn.ELOOP: _errno.ELOOP, _untorn.EWOULDBLOCK: _errno.EWOULDBLOCK}
NAMES = {number: name for name, (number, _) in _untorn.STATUSES.items()}


def from_report(status, os_error, step, text, path, detail, flags, position):
    """The exception for what the C library reports."""
    name = NAMES.get(status, "FAILED")
    kind = STATUSES.get(name, Error)
    os_error = _OF_PYTHON.get(os_error, os_error)
    if issubclass(kind, OSError):
        error = kind(os_error or _ERRNO[name], text, path or None)
    else:
        error = kind(text)
    error.status, error.os_error, error.step, error.text = name, os_error, step, text
    error.path, error.detail, error.flags, error.position = path, detail, tuple(flags), position
    return error
