#!/usr/bin/python3
# run: budget 20
"""The patch suites, through untorn apply: RFC 6902 and RFC 7396.

What a patch makes is compared as data. A patch that fails leaves the bytes of the file, and its
time.
"""

import json
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import Count, folder, same, untorn  # noqa: E402

LONG_AGO = 1_000_000_000


def apply(name, text, kind, patch):
    """Status, the text afterwards, messages; and whether the file was touched."""
    file = Path(name)
    file.write_bytes(text)
    os.utime(file, (LONG_AGO, LONG_AGO))
    before = os.stat(file)
    status, out, err = untorn("apply", "--level", "cache", name, kind, "-", stdin=patch)
    after = os.stat(file)
    touched = (before.st_ino, before.st_mtime_ns) != (after.st_ino, after.st_mtime_ns)
    if out:
        err += f"printed {out!r}"
    return status, file.read_bytes(), err, touched


def expected(record, kind="--json-patch"):
    text = json.dumps(record["doc"]).encode()
    status, made, err, touched = apply("f.json", text, kind, json.dumps(record["patch"]).encode())
    if status != 0:
        return err
    if not same(json.loads(made), record["expected"]):
        return f"{made!r}, not {record['expected']}"
    if not touched and not same(record["doc"], record["expected"]):
        return "not written"
    return None


def refused(record, statuses=(1, 2, 3, 5)):
    text = json.dumps(record["doc"]).encode()
    status, made, err, touched = apply("f.json", text, "--json-patch",
                                       json.dumps(record["patch"]).encode())
    if status not in statuses:
        return f"status {status}: {err}"
    if made != text or touched:
        return f"the file was touched: {made!r}"
    return None if err.startswith("untorn: ") and err.count("\n") == 1 else f"says {err!r}"


def json_patch(count):
    suite = folder("json-patch-tests")
    for name in ("tests.json", "spec_tests.json"):
        for number, record in enumerate(json.loads((suite / name).read_text(encoding="utf-8"))):
            label = f"{name} {number} ({record.get('comment', '')})"
            if record.get("disabled"):
                continue
            if "error" in record:
                count.case("a JSON Patch that fails leaves the file", label, refused(record))
            else:
                record.setdefault("expected", record["doc"])
                count.case("a JSON Patch makes what it should", label, expected(record))


def merge_patch(count):
    file = folder("rfc7396-merge-patch") / "rfc7396-test-cases.json"
    for group in json.loads(file.read_text(encoding="utf-8")):
        for number, record in enumerate(group["cases"]):
            count.case("a Merge Patch makes what it should", number, expected(
                {"doc": group["given"], "patch": record["patch"], "expected": record["result"]},
                "--merge-patch"))


def controls(count):
    """The comparison notices what is wrong."""
    record = {"doc": {"a": 1}, "patch": [{"op": "replace", "path": "/a", "value": 2}]}
    for wanted in ({"a": 1}, {"a": True}, {"a": "2"}, {}):
        count.case("a wrong result is noticed", wanted,
                   None if expected({**record, "expected": wanted}) else "not noticed")
    count.case("a patch that should fail and does not is noticed", "replace",
               None if refused(record) else "not noticed")


def main():
    count = Count()
    json_patch(count)
    merge_patch(count)
    controls(count)
    count.finish()


if __name__ == "__main__":
    main()
