#!/usr/bin/python3
# run: budget 20
"""toml-test's decoder cases, through untorn get --tagged.

Every file of both lists: the valid ones give the tagged JSON beside them, the invalid ones are
refused with exit status 4.
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import Count, folder, tagged_difference, untorn  # noqa: E402


def valid(file, form):
    status, out, err = untorn("get", "-", "--format", form, "--tagged", stdin=file.read_bytes())
    if status != 0:
        return f"refused: {err}"
    wanted = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    return tagged_difference(wanted, json.loads(out))


def invalid(file, form):
    status, out, err = untorn("get", "-", "--format", form, "--tagged", stdin=file.read_bytes())
    if status != 4 or out:
        return f"status {status}"
    return None if err.startswith("untorn: standard input: ") else f"says {err}"


def named(file, form):
    """The same file by its name, and the verdict on it."""
    status, out, err = untorn("get", "--format", form, "--tagged", str(file))
    if status != 0 or tagged_difference(json.loads(file.with_suffix(".json").read_text("utf-8")),
                                        json.loads(out)):
        return f"status {status}: {err}"
    status, _, err = untorn("check", "--format", form, str(file))
    return f"not whole: {err}" if status != 0 else None


def controls(count):
    """What the comparison must notice."""
    integer = {"type": "integer", "value": "1"}
    for found in ({"a": {"type": "integer", "value": "2"}}, {"a": {"type": "float", "value": "1"}},
                  {"b": integer}, {"a": [integer]}, {}, {"a": integer, "b": integer}):
        count.case("a difference is noticed", found,
                   None if tagged_difference({"a": integer}, found) else "not noticed")
    for kind, one, other in (("float", "1e2", "100.0"), ("float", "nan", "-nan"),
                             ("datetime", "1979-05-27T00:32:00-07:00", "1979-05-27 07:32:00z")):
        count.case("what means the same is the same", one, tagged_difference(
            {"type": kind, "value": one}, {"type": kind, "value": other}))


def main():
    tests, count = folder("toml-test") / "tests", Count()
    controls(count)
    for version, form in (("1.0.0", "toml-1.0"), ("1.1.0", "toml")):
        for name in (tests / f"files-toml-{version}").read_text(encoding="utf-8").split():
            file = tests / name
            if not name.endswith(".toml"):
                continue
            if name.startswith("valid/"):
                count.case(f"valid TOML {version} is read", name, valid(file, form))
                count.case(f"valid TOML {version} is read by its name", name, named(file, form))
            else:
                count.case(f"invalid TOML {version} is refused", name, invalid(file, form))
    count.finish()


if __name__ == "__main__":
    main()
