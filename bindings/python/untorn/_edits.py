"""Values inside JSON, JSONC and TOML files: comments, order and every other byte stay."""

import contextlib
import copy
import json
import os
from collections.abc import Mapping

from . import _files, _untorn, _values
from ._errors import DamagedError, MissingError, NoKeyError, UsageError
from ._joining import member_of, refuse_member
from ._options import format_of, pack

_NOTHING = _files._NOTHING
# Newlines of what is changed stay as they are, on every system.
_PLAIN = {"text": lambda text: _files.encode_text(text, newline=""), "bytes": _files.bytes_of}


# ---- edits, as the C module takes them: (kind, key, value, syntax) ----

def key_of(key):
    """A str is a dotted key or a JSON Pointer; a list is raw segments."""
    if isinstance(key, str):
        return key.encode("utf-8")
    if isinstance(key, (list, tuple)):
        # Of a path that is not UTF-8, os.fsdecode() makes halves of surrogate pairs.
        return tuple(str(part).encode("utf-8", "surrogatepass") for part in key)
    raise TypeError(f"a key is a str, or a list of its segments; not {key!r}")


def setting(key, value, format):
    return _untorn.SET, key_of(key), *_values.encode(value, format)


def unsetting(key):
    return _untorn.UNSET, key_of(key), None, _untorn.AS_JSON


def merging(patch, format):
    """None: it has what TOML has and JSON does not, and is for a function (merged)."""
    try:
        return _untorn.MERGE_PATCH, (), *_values.encode(patch, _untorn.JSON)
    except (TypeError, ValueError):
        if format != _values.TOML:
            raise
        return None


def merged(old, patch):
    """A document after a merge patch."""
    if not isinstance(patch, Mapping):
        return patch
    new = {**old} if isinstance(old, dict) else {}
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        else:
            new[key] = merged(new.get(key), value)
    return new


def patching(patch):
    return _untorn.JSON_PATCH, (), *_values.encode(patch, _untorn.JSON)


def pairs_of(key, value):
    """Of set(path, key, value) and set(path, {key: value})."""
    if value is not _NOTHING:
        return [(key, value)]
    if not isinstance(key, Mapping):
        raise TypeError("a value is missing: set(path, key, value), or set(path, {key: value})")
    return list(key.items())


def make(path, edits, format, parents=True, **options):
    options["parents"] = parents
    path, packed = os.fsencode(path), pack(**options)
    format = format_of(path, format)
    edits, member = edits(format), member_of(path, options)
    if member:
        member.transaction._change_now(member, lambda data: edited_data(data, edits, format, path))
        return
    try:
        _untorn.edit(path, edits, format, packed)
    except DamagedError as error:
        raise _files.explained(error, path, format, packed) from None


# ---- what users call ----

def set(path, key, value=_NOTHING, *, format=None, **options):
    """Sets one value of a JSON or TOML file, or several: set(path, "server.port", 8080), or
    set(path, {"server.port": 8080, "server.host": "localhost"}), all or none.

    A key is a str, dotted ("servers[0].host") or a JSON Pointer ("/servers/0/host"), or a list of
    raw segments. Missing tables on the way are made, and a missing file. Nothing that another
    process sets meanwhile is lost. Options as of write_bytes(); format "json", "jsonc" or "toml" if
    the name does not tell.
    """
    pairs = pairs_of(key, value)
    make(path, lambda format: tuple(setting(k, v, format) for k, v in pairs), format, **options)


def unset(path, *keys, format=None, **options):
    """Removes values; NoKeyError (a KeyError) if one is not there, and then none is removed."""
    make(path, lambda _: tuple(map(unsetting, keys)), format, parents=False, **options)


def merge(path, patch, *, format=None, **options):
    """Merges a dict into the document (RFC 7396): None removes a key."""
    edit = merging(patch, format_of(os.fsencode(path), format))
    if edit:
        make(path, lambda _: (edit,), format, **options)
    else:
        update(path, lambda old: merged(old, patch), format=format, **options)


def patch(path, operations, *, format=None, **options):
    """Makes a JSON Patch (RFC 6902): ChangedError, and no change, if one of its tests fails."""
    make(path, lambda _: (patching(operations),), format, **options)


def get(path, key, default=_NOTHING, *, format=None, **options):
    """One value of a JSON or TOML file; `default` if the file or the key is not there, else
    MissingError or NoKeyError. Only what is needed of the file is read into memory."""
    path, packed = os.fsencode(path), pack(**options)
    format = format_of(path, format)
    try:
        found = _untorn.get(path, ((_untorn.SET, key_of(key), None, 0),), format, packed)
    except (MissingError, NoKeyError):
        if default is _NOTHING:
            raise
        return default
    except DamagedError as error:
        raise _files.explained(error, path, format, packed) from None
    return value_of(found)


def value_of(found):
    if type(found) is not tuple:
        return found
    data, tagged = found
    return _values.untag(json.loads(data)) if tagged else json.loads(data)


def ensure(path, key, value, *, valid=None, format=None, parents=True, **options):
    """The value at the key, which becomes `value` if there is none: get or create.

    However many processes ask at once, one creates it and all get the same. `value` may be a
    function without arguments, which then runs with the lock held, only if there is none. With
    `valid`, a value counts only if valid(value) is true, and is made anew otherwise; this too is
    asked with the lock held, so that nobody comes in between.
    """
    path, packed = os.fsencode(path), pack(parents=parents, **options)
    format = format_of(path, format)
    refuse_member(path, **options)
    edit = setting(key, "" if callable(value) else value, format)
    make_value = counts = None
    if valid is not None:
        def counts(found):
            return valid(value_of(found))
    if callable(value) or counts:
        def make_value(_):
            return _values.encode(value() if callable(value) else value, format)[0]
    try:
        return value_of(_untorn.ensure(path, (edit,), make_value, counts, format, packed))
    except DamagedError as error:
        raise _files.explained(error, path, format, packed) from None


# ---- changes by a function ----

def replacing(value, format):
    """The edit that makes the whole document this value, by the fewest changes."""
    return (setting([], value, format),)


def changed_data(data, function, format, path):
    """What a function of the document makes of its bytes; None for no change."""
    if format == "bytes":
        made = function(data)
    elif format == "text":
        made = function(None if data is None else data.decode("utf-8"))
    else:
        return changed_document(data, function, format_of(path, format), path)
    return None if made is None else _PLAIN[format](made)


def check_whole(data, format, path):
    judged = None if data is None else _untorn.judge(path, data, format)
    if judged:
        raise _files.damaged(path, format, pack(), data, judged)


def edited_data(data, edits, format, path):
    """What edits make of the bytes of a document."""
    check_whole(data, format, path)
    return _untorn.edit_data(data, edits, format)


def changed_document(data, function, format, path):
    if format == _untorn.UNKNOWN:
        raise UsageError(f"{os.fsdecode(path)}: not known what kind of document this is (say "
                         'format="json", "jsonc", "toml", "text" or "bytes")')
    check_whole(data, format, path)
    old = None if data is None else _values.decode(data, format)
    new = function(copy.deepcopy(old))
    if new is None or new == old and same_types(new, old):
        return None
    return _untorn.edit_data(data, replacing(new, format), format)


def same_types(one, other):
    """Of equal values: whether they would be written alike. 1, 1.0 and True are equal."""
    if isinstance(one, dict):
        return all(same_types(value, other[key]) for key, value in one.items())
    if isinstance(one, (list, tuple)):
        return all(map(same_types, one, other))
    return type(one) is type(other)


def update(path, function, *, format=None, parents=True, **options):
    """Reads, changes and replaces the file under one lock: function(old) returns the new document.

    `old` is the parsed document, None if there is no file; so is the result, of which only what
    changed is brought into the text, so that comments stay. None: no change. format="text" and
    "bytes" are for files that are no documents. The function may be called again if a program that
    knows nothing of untorn replaced the file meanwhile. An exception leaves the file as it is.
    """
    path = os.fsencode(path)
    if format not in _PLAIN:
        format_of(path, format)
    options["parents"] = parents
    packed, member = pack(**options), member_of(path, options)

    def change(data):
        return changed_data(data, function, format, path)

    if member:
        member.transaction._change_now(member, change)
    else:
        _untorn.update(path, change, packed)


@contextlib.contextmanager
def edit(path, *, default=None, format=None, parents=True, **options):
    """with untorn.edit("app.toml") as doc: doc["port"] = 8080

    Locked from the beginning to the end. `doc` is a plain dict or list; if there is no file, a copy
    of `default` ({} unless said otherwise). On the way out only what changed is brought into the
    text. An exception leaves the file.
    ChangedError if a program that knows nothing of untorn changed the file meanwhile, ExistsError
    if it made one.
    """
    path = os.fsencode(path)
    options["parents"] = parents
    packed, member = pack(**options), member_of(path, options)
    if member:
        with member.transaction.edit(member.path, default=default, format=format,
                                     **member.options) as document:
            yield document
        return
    held = _untorn.lock(path, False, packed)
    try:
        data = current(path, packed)
        with edited(path, data, default, format) as made:
            yield made.document
        if made.data is not None:
            _untorn.write(path, made.data, pack(**if_still(data, options)))
    finally:
        del held


def if_still(data, options):
    """The options of a save that goes on from what was read, or from no file."""
    if options.get("if_match") is not None or options.get("exclusive"):
        return options
    seen = {"exclusive": True} if data is None else {"if_match": _untorn.hash(data)}
    return {**options, **seen}


def current(path, packed):
    try:
        return _untorn.read(path, packed)
    except MissingError:
        return None


class Edited:
    """A document that is being changed, and afterwards its new bytes; None: no change."""

    document = None
    data = None


@contextlib.contextmanager
def edited(path, data, default, format):
    made, format = Edited(), format_of(path, format)
    default = {} if default is None else default

    def keep(old):
        made.document = copy.deepcopy(default) if old is None else old

    changed_document(data, keep, format, path)
    yield made
    if data is not None or made.document != default:
        made.data = changed_document(data, lambda _: made.document, format, path)
