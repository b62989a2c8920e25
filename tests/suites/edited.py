"""Documents edited through the shared library, and what an edit should give, by other means:
Python's json and tomllib read the text, and the edit is done to plain data."""

import ctypes
import json
import os
import re
import tomllib

LIBRARY = ctypes.CDLL(os.path.join(os.environ["BUILD"], "libuntorn.so"))
FORMATS = {"json": 1, "jsonc": 2, "toml": 3, "toml-1.0": 4}
SET, UNSET, INSERT, RENAME = range(4)
PLAIN, STRING, AS_JSON, AS_TOML = range(4)
DAMAGED = -4
MARK = b"\xef\xbb\xbf"


class Error(ctypes.Structure):
    """struct untorn_error"""
    _fields_ = [("status", ctypes.c_int), ("os_error", ctypes.c_int), ("step", ctypes.c_char_p),
                ("flags", ctypes.c_uint), ("position", ctypes.c_uint64),
                ("path", ctypes.c_char * 1024), ("detail", ctypes.c_char * 512)]


class Edit(ctypes.Structure):
    """struct untorn_edit"""
    _fields_ = [("kind", ctypes.c_int), ("key", ctypes.c_char_p),
                ("segments", ctypes.POINTER(ctypes.c_char_p)), ("segment_count", ctypes.c_size_t),
                ("value", ctypes.c_char_p), ("value_size", ctypes.c_size_t),
                ("syntax", ctypes.c_int)]


_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_size_t
for _name, _result, _arguments in (
        ("parse", ctypes.c_int, [ctypes.c_char_p, _SIZE, ctypes.c_int, _POINTER, _POINTER]),
        ("check", ctypes.c_int, [ctypes.c_char_p, _SIZE, ctypes.c_int, _POINTER]),
        ("edit", ctypes.c_int, [_POINTER, _POINTER, _SIZE, _POINTER]),
        ("text", _POINTER, [_POINTER, _POINTER]),
        ("find_segments", _POINTER, [_POINTER, _POINTER, _SIZE, _POINTER]),
        ("free", None, [_POINTER])):
    getattr(LIBRARY, f"untorn_document_{_name}").restype = _result
    getattr(LIBRARY, f"untorn_document_{_name}").argtypes = _arguments
LIBRARY.untorn_node_span.restype = ctypes.c_bool
LIBRARY.untorn_node_span.argtypes = [_POINTER, _POINTER, _POINTER]


class Refused(Exception):
    """The library's status and words."""

    def __init__(self, error):
        super().__init__(f"status {error.status}: {error.detail.decode('utf-8', 'replace')}")
        self.status = -error.status


def _words(path):
    return (ctypes.c_char_p * max(1, len(path)))(*(str(step).encode() for step in path))


def _edit(kind, path, value=b"", syntax=AS_JSON):
    return Edit(kind, None, _words(path), len(path), value, len(value), syntax)


class Document:
    """One text, parsed."""

    def __init__(self, text, form):
        self.document, error = ctypes.c_void_p(), Error()
        if LIBRARY.untorn_document_parse(text, len(text), FORMATS[form],
                                         ctypes.byref(self.document), ctypes.byref(error)):
            raise Refused(error)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        LIBRARY.untorn_document_free(self.document)

    def edit(self, *edits):
        """The new text."""
        error, size = Error(), ctypes.c_size_t()
        array = (Edit * len(edits))(*(_edit(*edit) for edit in edits))
        if LIBRARY.untorn_document_edit(self.document, array, len(edits), ctypes.byref(error)):
            raise Refused(error)
        text = LIBRARY.untorn_document_text(self.document, ctypes.byref(size))
        return ctypes.string_at(text, size.value)

    def span(self, path):
        """Where the spelling of a value is; None for what has none of its own."""
        node = LIBRARY.untorn_document_find_segments(self.document, _words(path), len(path), None)
        start, size = ctypes.c_uint64(), ctypes.c_uint64()
        if not node or not LIBRARY.untorn_node_span(node, ctypes.byref(start), ctypes.byref(size)):
            return None
        return start.value, start.value + size.value


def edited(text, form, *edits):
    with Document(text, form) as document:
        return document.edit(*edits)


# ---- reading by other means

_JSON_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_JSON_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[\]}])', re.DOTALL)
_TOML_TOKEN = re.compile(r"\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}"
                         r"|\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|#[^\r\n]*", re.DOTALL)


def comments(text, form):
    """(where it starts, where it ends) of every comment, in characters."""
    if form == "json":
        return []
    token, first = (_TOML_TOKEN, "#") if form.startswith("toml") else (_JSON_TOKEN, "/")
    return [match.span() for match in token.finditer(text) if match[0].startswith(first)]


def _number(text):
    """A float as it is spelled: also a changed spelling is a change."""
    return ("float", text)


def read(text, form):
    """The data; ValueError if it is none."""
    text = text.removeprefix(MARK).decode()
    if form.startswith("toml"):
        return tomllib.loads(text, parse_float=_number)
    if form == "jsonc":
        for start, end in reversed(comments(text, form)):
            text = text[:start] + " " + text[end:]
        text = _JSON_COMMA.sub(lambda match: match[0] if match[0] != "," else "", text)
    return json.loads(text, parse_float=_number)


def shape(data, ordered):
    """Equal for equal data, of equal types. JSON keeps its keys in their order, too."""
    if isinstance(data, dict):
        members = [(key, shape(value, ordered)) for key, value in data.items()]
        return "object", members if ordered else sorted(members)
    if isinstance(data, list):
        return "array", [shape(value, ordered) for value in data]
    return type(data).__name__, repr(data)


# ---- editing data


def places(value, path=()):
    """(path, value) of everything, the root first."""
    yield path, value
    if isinstance(value, (dict, list)):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(member, (*path, key))


def at(data, path):
    for step in path:
        data = data[step]
    return data


def _changed(data, path, change):
    """A copy in which `change` was done to a copy of what is at the path."""
    copy = dict(data) if isinstance(data, dict) else list(data)
    if not path:
        return change(copy)
    copy[path[0]] = _changed(copy[path[0]], path[1:], change)
    return copy


def with_value(data, path, value):
    """Set, or added behind the last; missing objects on the way are made."""
    for length in range(len(path)):
        inner = at(data, path[:length])
        if isinstance(inner, dict) and path[length] not in inner:
            for step in reversed(path[length + 1:]):
                value = {step: value}
            path = path[:length + 1]
            break

    def change(parent):
        if isinstance(parent, list) and path[-1] == "-":
            return [*parent, value]
        parent[path[-1]] = value
        return parent
    return _changed(data, path[:-1], change)


def without(data, path):
    def change(parent):
        del parent[path[-1]]
        return parent
    return _changed(data, path[:-1], change)


def with_element(data, path, value):
    def change(parent):
        return [*parent[:path[-1]], value, *parent[path[-1]:]]
    return _changed(data, path[:-1], change)


def with_name(data, path, name):
    def change(parent):
        return {name if key == path[-1] else key: value for key, value in parent.items()}
    return _changed(data, path[:-1], change)
