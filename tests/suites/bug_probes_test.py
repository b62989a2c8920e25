#!/usr/bin/python3
# run: budget 20
"""Edits that other editors got wrong, through untorn set, unset and apply.

Each probe has a text, edits, the data that must come out, and what must and must not stand in it.
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import Count, folder, same, untorn  # noqa: E402


def pointer(path):
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def words_of(op, file):
    path = [str(part) for part in op["path"]]
    value = json.dumps(op.get("value"))
    if op["op"] == "set":
        return ["set", "--json", "-k", "--", file, *path, value]
    if op["op"] == "append":
        return ["set", "--json", "-k", "--", file, *path, "-", value]
    if op["op"] == "remove":
        return ["unset", "-k", "--", file, *path]
    if op["op"] == "insert":
        return ["apply", file, "--json-patch", json.dumps(
            [{"op": "add", "path": f"{pointer(path)}/{op['index']}", "value": op["value"]}])]
    raise SystemExit(f"no such edit: {op}")


def edit(probe):
    """The text that comes out, or what is wrong."""
    file = f"f.{probe['format']}"
    Path(file).write_bytes(probe["input"].encode())
    for op in probe["ops"]:
        verb, *words = words_of(op, file)
        status, out, err = untorn(verb, "--level", "cache", *words)
        if status != 0 or out or err:
            return None, f"{op}: status {status}: {out!r} {err}"
    return Path(file).read_bytes().decode(), None


def wrong(probe):
    text, problem = edit(probe)
    if problem:
        return problem
    status, out, err = untorn("get", "--json", f"f.{probe['format']}")
    if status != 0:
        return f"{err}\n{text}"
    if probe["expect_data"] is not None and not same(json.loads(out), probe["expect_data"]):
        return f"holds {out.decode()}\n{text}"
    for part in probe["must_contain"]:
        if part not in text:
            return f"lacks {part!r}:\n{text!r}"
    for part in probe["must_not_contain"]:
        if part in text:
            return f"has {part!r}:\n{text!r}"
    return None


def controls(count, probe):
    """A probe that asks for something else must fail."""
    for what, broken in (("data", {"expect_data": {}}), ("text", {"must_contain": ["nowhere"]}),
                         ("no text", {"must_not_contain": [""]}),
                         ("an edit", {"ops": [{"op": "remove", "path": ["no such key"]}]})):
        count.case("a probe that fails is noticed", what,
                   None if wrong({**probe, **broken}) else "not noticed")


def main():
    file, count = folder("bug-probes") / "probes.json", Count()
    probes = json.loads(file.read_text(encoding="utf-8"))
    for probe in probes:
        count.case("an edit that others got wrong is right", probe["id"], wrong(probe))
    controls(count, probes[0])
    count.finish()


if __name__ == "__main__":
    main()
