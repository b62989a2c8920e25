"""open() whose file appears when it is closed, whole, or not at all."""

import builtins
import io
import os

from . import _untorn
from ._joining import refuse_member
from ._options import pack


class _Raw(io.RawIOBase):
    """A new version of a file, which only commit() makes visible."""

    def __init__(self, path, options):
        super().__init__()
        self.name = path
        self._path, self._options = os.fsencode(path), pack(**options)
        self._links = options.get("symlink", "follow")
        refuse_member(self._path, symlink=self._links)
        self._writer, self._position = _untorn.writer_begin(self._path, self._options), 0

    def writable(self):
        return True

    def write(self, data):
        if self._writer is None:
            raise ValueError("write to a file that was given up")
        data = bytes(data)
        _untorn.writer_write(self._writer, data)
        self._position += len(data)
        return len(data)

    def tell(self):
        return self._position

    def commit(self):
        writer, self._writer = self._writer, None
        if writer is not None:
            refuse_member(self._path, symlink=self._links)
            _untorn.writer_commit(writer, self._path, self._options)

    def abort(self):
        self._writer = None

    def close(self):
        self.abort()
        super().close()


class _Whole:
    """What both kinds of files add: a clean close commits, everything else gives up."""

    def close(self):
        if self.closed:
            return
        try:
            self.flush()
            self._raw.commit()
        finally:
            self.abort()

    def abort(self):
        """Closes the file and forgets what was written."""
        self._raw.abort()
        # Not the buffer's close, which would write what it has left.
        self._raw.close()

    @property
    def closed(self):
        return self._raw.closed

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
        else:
            self.abort()

    def __del__(self):
        raw = getattr(self, "_raw", None)
        if raw is not None:
            raw.close()


class _Bytes(_Whole, io.BufferedWriter):
    def __init__(self, raw, size):
        self._raw = raw
        io.BufferedWriter.__init__(self, raw, size)


class _Text(_Whole, io.TextIOWrapper):
    def __init__(self, buffer, raw, *how):
        self._raw = raw
        io.TextIOWrapper.__init__(self, buffer, *how)


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, *,
         parents=False, permissions=None, **options):
    """As the builtin, for writing: "w", "x", "wt", "wb", "xb".

    The file appears when the with block ends or close() is called, whole and durable; it stays as
    it was after any exception in the block, KeyboardInterrupt and SystemExit too, after abort(),
    and if the file is never closed. Text is UTF-8 unless said otherwise. It cannot be read or
    sought in. Modes that read only are handed to the builtin; to add to a file there is append().
    Options as of write_bytes(), but `permissions` instead of `mode`. A child process leaves alone
    what its parent has open.
    """
    kinds = "".join(sorted(mode))
    if kinds in ("r", "rt", "br"):
        text = "b" not in kinds
        return builtins.open(file, mode, buffering, "utf-8" if text and encoding is None
                             else encoding, errors, newline)
    if kinds not in ("w", "tw", "bw", "x", "tx", "bx"):
        raise ValueError(f"mode {mode!r} does not fit: a new version is written from its beginning")
    text = "b" not in kinds
    if not text and (encoding, errors, newline) != (None, None, None):
        raise ValueError("binary mode takes no encoding, errors or newline")
    if text and newline not in (None, "", "\n", "\r", "\r\n"):
        raise ValueError(f"illegal newline value: {newline!r}")
    if "x" in kinds:
        options["exclusive"] = True
    raw = _Raw(file, {"parents": parents, "mode": permissions, **options})
    size = buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE
    if not text:
        return _Bytes(raw, size)
    buffer = io.BufferedWriter(raw, size)
    result = _Text(buffer, raw, encoding or "utf-8", errors, newline)
    result.mode = mode
    return result
