#!/usr/bin/python3
# run: budget 20
"""JSONTestSuite through untorn check and untorn get: what must pass, what must not, what may."""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import Count, folder, same, untorn  # noqa: E402

# What is no JSON, and is JSON with comments and trailing commas.
JSONC = {"n_object_trailing_comment.json", "n_object_trailing_comment_slash_open.json",
         "n_structure_object_with_comment.json", "n_array_extra_comma.json",
         "n_array_number_and_comma.json", "n_object_trailing_comma.json"}


def verdict(file, form):
    status, out, err = untorn("check", "--report", "--format", form, str(file))
    line = json.loads(out)
    if (status, line["verdict"] == "whole", err == "") not in ((0, True, True), (4, False, False)):
        raise SystemExit(f"{file}: status {status}, {out}, {err}")
    return line["verdict"]


def accepted(file):
    found = verdict(file, "json")
    if found != "whole":
        return found
    status, out, err = untorn("get", "--json", "--format", "json", str(file))
    if status != 0:
        return err
    wanted = json.loads(file.read_bytes().decode("utf-8"))
    return None if same(json.loads(out), wanted) else f"{out!r}, not {wanted!r}"


def refused(file):
    found = verdict(file, "json")
    empty = file.stat().st_size == 0
    if found == "whole" or (found == "empty") != empty:
        return found
    with_comments = verdict(file, "jsonc")
    wanted = file.name in JSONC
    return None if (with_comments == "whole") == wanted else f"as jsonc: {with_comments}"


def main():
    count = Count()
    for file in sorted((folder("JSONTestSuite") / "test_parsing").glob("*.json")):
        if file.name.startswith("y_"):
            count.case("what must be accepted is whole, and its data is read", file.name,
                       accepted(file))
        elif file.name.startswith("n_"):
            count.case("what must be refused is not whole", file.name, refused(file))
        else:
            count.case("what may be either is decided, and the same twice", file.name,
                       None if verdict(file, "json") == verdict(file, "json") else "not stable")
    count.finish()


if __name__ == "__main__":
    main()
