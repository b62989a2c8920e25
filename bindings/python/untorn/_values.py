"""Python values as the text of a document, and back."""

import datetime
import json
import math

from . import _untorn

try:
    import tomllib
except ImportError:  # before 3.11
    tomllib = None

TOML = _untorn.TOML


def encode(value, format):
    """(text, syntax) of a value that goes into a document of that format."""
    if format == TOML:
        return to_toml(value).encode("utf-8"), _untorn.AS_TOML
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode("utf-8"), _untorn.AS_JSON
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can tell
        return json.dumps(value, allow_nan=False).encode("ascii"), _untorn.AS_JSON


def decode(data, format, **hooks):
    """The value of a whole document; untorn.Error or ValueError if it is none."""
    if format == TOML:
        return from_toml(data)
    if format == _untorn.JSONC:
        data = _untorn.to_json(data, format)
    return json.loads(data, **hooks)


def from_toml(data):
    if tomllib:
        try:
            return tomllib.loads(data.decode("utf-8"))
        except ValueError:
            pass  # of TOML 1.1, perhaps: the C library tells
    return untag(json.loads(_untorn.to_json(data, TOML)))


# ---- TOML, written as an inline value: the C library lays it out ----

def to_toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return spell_float(value)
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, datetime.time) and value.tzinfo is None:
        return value.isoformat()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_of(k)} = {to_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    raise TypeError(f"TOML has no value for {value!r}")


def quote(text):
    # JSON escapes what TOML does, but for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def key_of(key):
    if not isinstance(key, str):
        raise TypeError(f"a key of TOML is a str; not {key!r}")
    return quote(key)


def spell_float(value):
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float.__repr__(value)


# ---- values as the C library writes them, each scalar with its type ----

def untag(value):
    """A table's members are tagged themselves, so {"type": str, "value": str} is always a tag."""
    if isinstance(value, list):
        return [untag(item) for item in value]
    if value.keys() == {"type", "value"} and isinstance(value["type"], str):
        return SCALARS[value["type"]](value["value"])
    return {key: untag(item) for key, item in value.items()}


def cut_fraction(text):
    """Python has microseconds, no finer."""
    head, dot, rest = text.partition(".")
    digits = len(rest) - len(rest.lstrip("0123456789"))
    return head + (dot + rest[:digits][:6].ljust(6, "0") if dot else "") + rest[digits:]


def with_seconds(clock):
    return clock if clock[5:6] == ":" else clock[:5] + ":00" + clock[5:]


def time_of(text):
    return datetime.time.fromisoformat(cut_fraction(with_seconds(text)))


def datetime_of(text):
    text = text[:10] + "T" + with_seconds(text[11:])
    if text[-1] in "zZ":
        text = text[:-1] + "+00:00"
    return datetime.datetime.fromisoformat(cut_fraction(text))


SCALARS = {
    "string": str,
    "null": lambda _: None,
    "integer": lambda text: int(text, 0 if text[:2] in ("0x", "0o", "0b") else 10),
    "float": float,
    "bool": lambda text: text == "true",
    "datetime": datetime_of,
    "datetime-local": datetime_of,
    "date-local": datetime.date.fromisoformat,
    "time-local": time_of,
}
