"""What the block of a transaction writes of the transaction's own files belongs to it."""

import contextlib
import os
import sys
import threading
from collections import namedtuple
from contextvars import ContextVar

from . import _untorn
from ._errors import UsageError
from ._options import OF_ALL, pack

_opened = ContextVar("open transactions of untorn", default=())  # the innermost first

# A member, by the path that the transaction has of it, and which of a call's options are for it.
Member = namedtuple("Member", "transaction path options")


@contextlib.contextmanager
def opened(transaction):
    """Meanwhile what is written here of a member of the transaction joins it."""
    transaction._place = _here()
    _opened.set((transaction, *_opened.get()))
    try:
        yield transaction
    finally:
        transaction._place = None
        _opened.set(tuple(other for other in _opened.get() if other is not transaction))


def _here():
    """The thread, and the task of asyncio if there is one: new ones may begin with a copy of the
    context."""
    try:
        task = sys.modules["asyncio"].current_task()
    except (KeyError, AttributeError, RuntimeError):
        task = None
    return threading.get_ident(), task


def _file(path, follow):
    """The one path of a file."""
    folder, name = os.path.split(path)
    return os.path.normcase(os.path.realpath(path) if follow else
                            os.path.join(os.path.realpath(folder), name))


def member_of(path, options):
    """The Member that a call with these options writes; None: it stands for itself."""
    transactions = _opened.get()
    if not transactions:
        return None
    here, file = _here(), _file(path, pack(**options)[1] == _untorn.FOLLOW)
    for transaction in transactions:
        if transaction._place == here:
            for name, symlink in transaction._names():
                if name == path or _file(name, symlink == _untorn.FOLLOW) == file:
                    return Member(transaction, name, {option: value for option, value
                                                      in options.items() if option not in OF_ALL})
    return None


def refuse_member(path, **options):
    """For calls that cannot join: written at once, it would be what the transaction replaces."""
    if member_of(path, options):
        raise UsageError(f"{os.fsdecode(path)}: a transaction of this block changes it (do this "
                         "before the block or after it, or by a call that can join)")
