#!/usr/bin/python3
# run: budget 20
"""toml-test's encoder cases: from no file to the data of every valid case.

Once by one untorn set with a pair for each value, in the order of the data; once, where JSON can
say it, by a merge patch. What comes out is read by Python's tomllib, which knows TOML 1.0 alone,
and by untorn.
"""

import json
import sys
import tomllib
from datetime import date, datetime, time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import Count, folder, is_tagged, tagged_difference, untorn  # noqa: E402


def quoted(text):
    """A TOML string, or a part of a key."""
    return '"' + "".join(
        f"\\u{ord(c):04x}" if ord(c) < 0x20 or c in '"\\' or ord(c) == 0x7f else c
        for c in text) + '"'


def spelled(value):
    text = value["value"]
    if value["type"] == "string":
        return quoted(text)
    if value["type"] == "float" and text.lstrip("+-").isdigit():
        return text + ".0"
    return text


def pairs(value, path=""):
    """KEY and VALUE for untorn set --toml, one after the other."""
    if is_tagged(value):
        yield path, spelled(value)
    elif isinstance(value, dict):
        if path and not value:
            yield path, "{}"
        for key, member in value.items():
            yield from pairs(member, f"{path}.{quoted(key)}" if path else quoted(key))
    else:
        yield path, "[]"
        for index, element in enumerate(value):
            if is_tagged(element):
                yield f"{path}[+]", spelled(element)
                continue
            yield f"{path}[+]", "{}" if isinstance(element, dict) else "[]"
            if element:
                yield from filled(element, f"{path}[{index}]")


def filled(container, path):
    """The same for a container that is there already, and empty."""
    if isinstance(container, dict):
        for key, member in container.items():
            yield from pairs(member, f"{path}.{quoted(key)}")
    else:
        yield from list(pairs(container, path))[1:]


def plain(value):
    """As data without tags; None if JSON cannot say it."""
    if not is_tagged(value):
        members = value.items() if isinstance(value, dict) else enumerate(value)
        done = [(key, plain(member)) for key, member in members]
        if any(member is None for _, member in done):
            return None
        return dict(done) if isinstance(value, dict) else [member for _, member in done]
    kind, text = value["type"], value["value"]
    if kind == "string":
        return text
    if kind == "bool":
        return text == "true"
    if kind == "integer":
        return int(text)
    if kind == "float" and text.lstrip("+-") not in ("inf", "nan"):
        return float(text)
    return None


def tagged(value):
    """What tomllib read, with tags."""
    if isinstance(value, dict):
        return {key: tagged(member) for key, member in value.items()}
    if isinstance(value, list):
        return [tagged(element) for element in value]
    if isinstance(value, bool):
        return {"type": "bool", "value": str(value).lower()}
    if isinstance(value, datetime):
        return {"type": "datetime" if value.tzinfo else "datetime-local",
                "value": value.isoformat()}
    for kind, word in ((str, "string"), (int, "integer"), (float, "float"), (date, "date-local"),
                       (time, "time-local")):
        if isinstance(value, kind):
            return {"type": word, "value": str(value)}
    raise TypeError(value)


def compare(wanted, file):
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    try:
        problem = tagged_difference(wanted, tagged(tomllib.loads(text)))
    except tomllib.TOMLDecodeError as error:
        problem = f"tomllib: {error}"
    if not problem and text:
        status, out, err = untorn("get", "--tagged", str(file))
        problem = err if status else tagged_difference(wanted, json.loads(out))
    return f"{problem}\n{text}" if problem else None


def by_sets(wanted):
    file = Path("set.toml")
    file.unlink(missing_ok=True)
    words = [word for pair in pairs(wanted) for word in pair]
    if words:
        status, _, err = untorn("set", "--toml", "--level", "cache", str(file), "--", *words)
        if status != 0:
            return err
    return compare(wanted, file)


def by_patch(wanted, data):
    file = Path("patch.toml")
    file.unlink(missing_ok=True)
    patch = json.dumps(data)
    status, _, err = untorn("apply", "--level", "cache", str(file), "--merge-patch", "-",
                            stdin=patch.encode())
    return err if status else compare(wanted, file)


def controls(count):
    """What the comparison must notice."""
    file = Path("control.toml")
    file.write_text("a = 1\n", encoding="utf-8")
    for wanted in ({}, {"a": {"type": "float", "value": "1"}}, {"a": {}},
                   {"a": {"type": "integer", "value": "2"}}):
        count.case("wrong data is noticed", wanted,
                   None if compare(wanted, file) else "not noticed")
    file.write_text("a = {b = 1,\n}\n", encoding="utf-8")
    count.case("TOML 1.1 is noticed", "inline table", None if compare(
        {"a": {"b": {"type": "integer", "value": "1"}}}, file) else "not noticed")


def main():
    tests, count = folder("toml-test") / "tests", Count()
    names = {name for version in ("1.0.0", "1.1.0")
             for name in (tests / f"files-toml-{version}").read_text(encoding="utf-8").split()
             if name.startswith("valid/") and name.endswith(".toml")}
    controls(count)
    for name in sorted(names):
        wanted = json.loads((tests / name).with_suffix(".json").read_text(encoding="utf-8"))
        count.case("the data of a valid file is made by sets", name, by_sets(wanted))
        data = plain(wanted)
        if data is not None:
            count.case("the data of a valid file is made by a patch", name, by_patch(wanted, data))
    count.finish()


if __name__ == "__main__":
    main()
