"""Several files that change together: all or none."""

import contextlib
import os

from . import _edits, _files, _joining, _untorn, _values
from ._errors import UsageError
from ._options import OF_ALL, format_of, pack, split

_PUT, _EDIT, _CHANGE, _REMOVE = range(4)
_DECODERS = {
    "json": (_untorn.JSON, lambda data: _values.decode(data, _untorn.JSON)),
    "toml": (_values.TOML, _values.from_toml),
    "text": (_untorn.UNKNOWN, lambda data: data.decode()),
}


class Transaction:
    """What transaction() gives: the files that are to change. Nothing happens before the end."""

    def __init__(self, **options):
        self._options = options
        self._members = []
        self._place = None  # where it is open

    def _add(self, kind, path, content, format=0, parents=True, **options):
        for name in OF_ALL & options.keys():
            raise TypeError(f"{name} is for all files of a transaction, not for one of them")
        self._members.append((kind, os.fsencode(path), content, format,
                              pack(parents=parents, **options)))

    def write_bytes(self, path, data, **options):
        """As untorn.write_bytes(). Options of a member: mode, symlink, if_match, if_changed,
        exclusive, keep_inode, parents."""
        self._add(_PUT, path, _files.bytes_of(data), **options)

    def write_text(self, path, text, *, encoding="utf-8", errors="strict", newline=None,
                   **options):
        """As untorn.write_text()."""
        self.write_bytes(path, _files.encode_text(text, encoding, errors, newline), **options)

    def write_json(self, path, obj, *, indent=2, **options):
        """As untorn.write_json()."""
        options, how = split(options)
        self.write_bytes(path, _files.encode_json(obj, indent=indent, **how), **options)

    def set(self, path, key, value=_files._NOTHING, *, format=None, **options):
        """As untorn.set()."""
        format = format_of(os.fsencode(path), format)
        self._add(_EDIT, path, tuple(_edits.setting(k, v, format)
                                     for k, v in _edits.pairs_of(key, value)), format, **options)

    def unset(self, path, *keys, format=None, **options):
        """As untorn.unset()."""
        self._add(_EDIT, path, tuple(map(_edits.unsetting, keys)),
                  format_of(os.fsencode(path), format), **options)

    def merge(self, path, patch, *, format=None, **options):
        """As untorn.merge()."""
        number = format_of(os.fsencode(path), format)
        edit = _edits.merging(patch, number)
        if edit:
            self._add(_EDIT, path, (edit,), number, **options)
        else:
            self.update(path, lambda old: _edits.merged(old, patch), format=format, **options)

    def update(self, path, function, *, format=None, **options):
        """As untorn.update(): the function is called at the end, with the locks of all files
        held."""
        name = os.fsencode(path)
        if format not in _edits._PLAIN:
            format_of(name, format)
        self._add(_CHANGE, path,
                  lambda data: _edits.changed_data(data, function, format, name), **options)

    @contextlib.contextmanager
    def edit(self, path, *, default=None, format=None, **options):
        """with t.edit(path) as doc: as untorn.edit(), but nothing is locked yet: ChangedError at
        the end of the transaction if the file was changed meanwhile, ExistsError if it was
        made. Goes on from what earlier calls of the transaction make of the file."""
        name = os.fsencode(path)
        data = self._current(name)
        with _edits.edited(name, self._made(name, data), default, format) as made:
            yield made.document
        self._save(name, data, made.data, options)

    def _current(self, name):
        return _edits.current(name, pack(**self._options))

    def _save(self, name, old, new, options):
        """What was made of the old bytes, or of what a put would make of them; None: no change."""
        if new is None:
            return
        if (_PUT, name) not in (member[:2] for member in self._members):
            options = _edits.if_still(old, options)
        self._add(_CHANGE, name, lambda _: new, **options)

    def _made(self, name, data):
        """What the calls so far make of the bytes of a file; None: no file."""
        for kind, path, content, format, _ in self._members:
            if path != name:
                continue
            if kind == _EDIT:
                data = _untorn.edit_data(data, content, format)
            elif kind == _CHANGE:
                made = content(data)
                data = data if made is None else made
            else:
                data = content
        return data

    def _change_now(self, member, change):
        """For a call that joins, which is done when it returns, as one that stands for itself."""
        _, name, options = member
        if options.get("exclusive"):
            raise UsageError(f"{os.fsdecode(name)}: an update cannot be exclusive")
        data = self._current(name)
        self._save(name, data, change(self._made(name, data)), options)

    def _names(self):
        """Of its files, and how links are treated."""
        return {(name, packed[1]) for _, name, _, _, packed in self._members}

    def remove(self, path, **options):
        """The file goes; MissingError at the end, and no change, if there is none."""
        self._add(_REMOVE, path, None, parents=False, **options)


@contextlib.contextmanager
def transaction(*, level="durable", timeout=None, keep=None, strict=False, state_dir=None):
    """with untorn.transaction() as t: t.write_json(...); t.remove(...)

    When the block ends all files change, or none: also through kill -9, and (unless level is
    "cache") a power loss. An exception in the block changes nothing. Files may lie in any folders;
    relative paths are looked up at the end, in the working directory of then.

    What the module's own write_bytes(), write_text(), write_json(), set(), unset(), merge(),
    patch(), update() and edit() change in the block of a file that the transaction changes already
    is part of it, by whatever path they name the file; of nested transactions the innermost that
    has the file. Not in other threads or tasks of asyncio. An update's function is called at once,
    on what the file would become; ChangedError at the end if that depends on the file and it was
    changed meanwhile, ExistsError if it was made. Options that are for all files of a transaction
    do not count then. Calls that cannot be part of it, such as append(), ensure(), open(),
    replace(), undo() and Config.set(), raise UsageError for such a file.
    """
    options = {"level": level, "timeout": timeout, "keep": keep, "strict": strict,
               "state_dir": state_dir}
    packed = pack(**options)
    opened = Transaction(**options)
    with _joining.opened(opened):
        yield opened
    if opened._members:
        _untorn.commit(tuple(opened._members), packed)


def read_set(paths, *, format="bytes", symlink="follow", timeout=None, state_dir=None):
    """Several files as they were at one moment between commits: a list, with None for a missing
    file. MixedError if some are from before the commit that made the others.

    Their bytes, or as `format` says: "json", "toml", "text". What is none of these raises
    DamagedError, as read_json() does.
    """
    if format != "bytes" and format not in _DECODERS:
        raise ValueError(f"no format {format!r}")
    packed = pack(symlink=symlink, timeout=timeout, state_dir=state_dir)
    paths = tuple(os.fsencode(path) for path in paths)
    contents, mixed = _untorn.read_set(paths, packed)
    if mixed:
        mixed.contents = contents
        raise mixed
    if format == "bytes":
        return contents
    format, decode = _DECODERS[format]
    return [data if data is None else _files.decode_judged(path, data, format, packed, decode)
            for path, data in zip(paths, contents)]


def replace(src, dst, *, level="durable", timeout=None, keep=None, strict=False, state_dir=None,
            parents=True, **options):
    """Moves a file over another, as os.replace(), durably and between file systems too: `dst` has
    the content and the permissions of `src`, and `src` is gone; both or neither."""
    source = os.fsencode(src)
    _joining.refuse_member(source)
    _joining.refuse_member(os.fsencode(dst), **options)
    data = _untorn.read(source, pack(state_dir=state_dir))
    mode = os.stat(source).st_mode & 0o777
    with transaction(level=level, timeout=timeout, keep=keep, strict=strict,
                     state_dir=state_dir) as t:
        t.write_bytes(dst, data, mode=mode, parents=parents, **options)
        t.remove(src, if_match=_untorn.hash(data))
