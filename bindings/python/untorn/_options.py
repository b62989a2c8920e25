"""The options that all calls share, as the tuple that the C module takes."""

import os

from . import _untorn

LEVELS = {"durable": _untorn.DURABLE, "ordered": _untorn.ORDERED, "cache": _untorn.CACHE}
SYMLINKS = {"follow": _untorn.FOLLOW, "replace": _untorn.REPLACE_LINK,
            "refuse": _untorn.REFUSE_LINK}
FORMATS = {None: _untorn.UNKNOWN, "json": _untorn.JSON, "jsonc": _untorn.JSONC,
           "toml": _untorn.TOML}
LONGEST_WAIT_MS = 2**31 - 1


def pack(*, level="durable", symlink="follow", timeout=None, mode=None, if_match=None,
         if_changed=False, exclusive=False, keep_inode=False, parents=False, strict=False,
         keep=None, state_dir=None, lock_file=None):
    """A tuple of them all. `timeout` in seconds: None is 10, 0 tries once. `keep` is how many
    earlier versions stay: None is 1, 0 none."""
    return (choose("level", level, LEVELS), choose("symlink", symlink, SYMLINKS), wait_ms(timeout),
            0 if mode is None else mode, None if if_match is None else if_match.encode("ascii"),
            if_changed, exclusive, keep_inode, parents, strict, kept(keep),
            None if state_dir is None else os.fsencode(state_dir),
            None if lock_file is None else os.fsencode(lock_file))


NAMES = frozenset(pack.__kwdefaults__)
OF_ALL = frozenset(("level", "timeout", "keep", "strict", "state_dir", "lock_file"))


def split(arguments):
    """Takes the options out of keyword arguments: (options, the rest)."""
    return ({name: value for name, value in arguments.items() if name in NAMES},
            {name: value for name, value in arguments.items() if name not in NAMES})


def choose(what, word, words):
    try:
        return words[word]
    except (KeyError, TypeError):
        known = ", ".join(repr(known) for known in words if known)
        raise ValueError(f"{what} is one of {known}; not {word!r}") from None


def format_of(path, format):
    """The number of a format, by its word or by the name of the file; 0 if neither tells."""
    return choose("format", format, FORMATS) or _untorn.format_of_path(path)


def wait_ms(timeout):
    if timeout is None:
        return 0
    if not timeout >= 0:
        raise ValueError(f"timeout is a number of seconds from 0 on; not {timeout!r}")
    if timeout == 0:
        return _untorn.TRY_ONCE
    return int(max(1, min(timeout * 1000, LONGEST_WAIT_MS)))


def kept(keep):
    if keep is None:
        return 0
    if keep < 0:
        raise ValueError(f"keep is a number of versions from 0 on; not {keep!r}")
    return keep or _untorn.KEEP_NONE
