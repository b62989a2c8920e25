"""Whole files: read, write, append."""

import io
import json
import os

from . import _untorn, _values
from ._errors import DamagedError, Error, MissingError
from ._joining import member_of, refuse_member
from ._options import pack, split

_NOTHING = object()
RECORDS = {None: _untorn.RECORDS_BY_NAME, "text": _untorn.RECORDS_TEXT,
           "json": _untorn.RECORDS_JSON}


# ---- writing ----

def write_bytes(path, data, *, mode=None, level="durable", parents=True, **options):
    """Replaces the file by these bytes, whole or not at all.

    Whoever opens it reads the old version or the new one. When the call returns, the new one
    survives a power loss (level "durable"; "ordered": the old or the new one does; "cache": nothing
    is flushed). Mode, owner, ACL and attributes of an existing file stay, symbolic links are
    followed. `parents` makes missing folders.

    More options: timeout (seconds to wait for the lock: None is 10, 0 tries once), if_match (a
    hash(): ChangedError if the file is another version), if_changed, exclusive (create only),
    keep_inode, symlink ("follow", "replace", "refuse"), strict, keep (earlier versions: 1 unless
    said otherwise), state_dir, lock_file.
    """
    path, data = os.fsencode(path), bytes_of(data)
    options.update(mode=mode, level=level, parents=parents)
    packed, member = pack(**options), member_of(path, options)
    if member:
        member.transaction.write_bytes(member.path, data, **member.options)
    else:
        _untorn.write(path, data, packed)


def write_text(path, text, *, encoding="utf-8", errors="strict", newline=None, **options):
    """Replaces the file by this text, as write_bytes() does; newlines as open() treats them."""
    write_bytes(path, encode_text(text, encoding, errors, newline), **options)


def write_json(path, obj, *, indent=2, mode=None, level="durable", parents=True, **options):
    """Replaces the file by json.dump(obj, file, indent=indent, ...), byte for byte; lines end with
    "\\n" on every system.

    Takes what json.dump takes (default, cls, sort_keys, ensure_ascii, separators, ...), and the
    options of write_bytes(). If `obj` cannot be written as JSON, the old file stays.
    """
    options, how = split(options)
    write_bytes(path, encode_json(obj, indent=indent, **how), mode=mode, level=level,
                parents=parents, **options)


def append(path, data, *, records=None, mode=None, level="durable", parents=True,
           symlink="follow", timeout=None, strict=False, state_dir=None, lock_file=None):
    """Adds records to a log: no torn line, no two lines fused into one.

    `data` is str or bytes; a missing last newline is added. records="json" (also by the names
    .jsonl and .ndjson) demands one JSON value in each line.
    """
    if isinstance(data, str):
        data = data.encode("utf-8")
    path = os.fsencode(path)
    refuse_member(path, symlink=symlink)
    _untorn.append(path, bytes_of(data), RECORDS[records],
                   pack(mode=mode, level=level, parents=parents, symlink=symlink, timeout=timeout,
                        strict=strict, state_dir=state_dir, lock_file=lock_file))


def bytes_of(data):
    if isinstance(data, (str, int)):
        raise TypeError(f"a bytes-like object is required, not {type(data).__name__!r}")
    return data if type(data) is bytes else bytes(data)


def encode_text(text, encoding="utf-8", errors="strict", newline=None):
    buffer = io.BytesIO()
    with io.TextIOWrapper(buffer, encoding, errors, newline) as file:
        file.write(text)
        file.flush()
        return buffer.getvalue()


def encode_json(obj, **how):
    if how.get("cls") is None:
        return json.dumps(obj, **how).encode("utf-8")  # the same text, sooner
    file = io.StringIO()
    json.dump(obj, file, **how)
    return file.getvalue().encode("utf-8")


# ---- reading ----

def read_bytes(path, default=_NOTHING, **options):
    """The bytes of the file: one whole version.

    Of a missing file `default`, or MissingError (a FileNotFoundError). A file of nothing but NUL
    bytes, as a crash leaves it, raises DamagedError, which has them as `content`.
    """
    return read_judged(path, _untorn.UNKNOWN, default, options, lambda data: data)


def read_text(path, default=_NOTHING, *, encoding="utf-8", errors="strict", newline=None,
              **options):
    """The text of the file, as read_bytes(); newlines as open() treats them."""
    def decode(data):
        return io.TextIOWrapper(io.BytesIO(data), encoding, errors, newline).read()
    return read_judged(path, _untorn.UNKNOWN, default, options, decode)


def read_json(path, default=_NOTHING, **options):
    """The value of a JSON file; of one with comments, if its name says so (.jsonc, tsconfig.json).

    Of a missing file `default`, or MissingError (a FileNotFoundError). What is empty, truncated or
    otherwise no JSON raises DamagedError, with the last whole version where there is one. Takes
    what json.loads takes (object_hook, parse_float, cls, ...).
    """
    options, hooks = split(options)
    format = _untorn.format_of_path(os.fsencode(path))
    if format != _untorn.JSONC:
        format = _untorn.JSON
    return read_judged(path, format, default, options,
                       lambda data: _values.decode(data, format, **hooks))


def read_toml(path, default=_NOTHING, **options):
    """The value of a TOML file, as tomllib gives it; else as read_json()."""
    return read_judged(path, _values.TOML, default, options, _values.from_toml)


def read_judged(path, format, default, options, decode):
    path, packed = os.fsencode(path), pack(**options)
    try:
        data = _untorn.read(path, packed)
    except MissingError:
        if default is _NOTHING:
            raise
        return default
    return decode_judged(path, data, format, packed, decode)


def decode_judged(path, data, format, packed, decode):
    """The value of what was read, or DamagedError."""
    judged = _untorn.judge(path, data, format) if format == _untorn.UNKNOWN else None
    if not judged:
        try:
            return decode(data)
        except (ValueError, DamagedError):
            judged = format != _untorn.UNKNOWN and _untorn.judge(path, data, format)
            if not judged:
                raise
    raise damaged(path, format, packed, data, judged) from None


def damaged(path, format, packed, data, judged):
    """The exception, with all there is to know."""
    verdict, error = judged
    error.verdict, error.content = verdict, data
    try:
        error.last_good, error.last_good_version = _untorn.read_last_good(path, format, packed)
    except Error:
        pass  # there is none
    return error


def explained(error, path, format, packed):
    """A DamagedError of an edit, with what reading the file tells."""
    try:
        data = _untorn.read(path, packed)
        judged = _untorn.judge(path, data, format)
    except Error:
        judged = None
    return damaged(path, format, packed, data, judged) if judged else error


def hash(path, **options):
    """The hash of the file's content, 32 hexadecimal digits, to be given as if_match."""
    return _untorn.hash(_untorn.read(os.fsencode(path), pack(**options)))
