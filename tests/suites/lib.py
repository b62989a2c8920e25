"""For the suites beside it: where the data is, running the command, counting, tagged JSON.

The data is not part of the project. It is looked for in $UNTORN_SUITES, else in ../shared/suites
beside the project's root; a suite that finds none is skipped.
"""

import json
import math
import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

SUITES = Path(os.environ.get("UNTORN_SUITES") or
              Path(os.environ["TESTS"]).parent.parent / "shared/suites")


def folder(name):
    if not (SUITES / name).is_dir():
        print(f"{name} is not there (UNTORN_SUITES names the folder that holds it)")
        sys.exit(77)
    return SUITES / name


def untorn(*words, stdin=b""):
    """Status, output, messages. A crash is no status: it ends the suite."""
    done = subprocess.run(["untorn", *words], input=stdin, capture_output=True, check=False)
    if done.returncode < 0 or done.returncode > 7:
        raise SystemExit(f"status {done.returncode}: {words}\n{done.stderr.decode()}")
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


class Count:
    """Many cases under few sentences: a sentence with a case that fails names it."""

    def __init__(self):
        self.sentences = {}

    def case(self, sentence, name, problem):
        """`problem` is None or what is wrong."""
        cases = self.sentences.setdefault(sentence, [0, []])
        cases[0] += 1
        if problem:
            cases[1].append(f"{name}: {problem}")

    def finish(self):
        failed = 0
        for sentence, (count, problems) in self.sentences.items():
            failed += len(problems)
            for problem in problems:
                print(f"FAIL {sentence}: {problem}")
            if not problems:
                print(f"ok  {sentence} ({count})")
        total = sum(count for count, _ in self.sentences.values())
        print(f"{total - failed} passed, {failed} failed")
        sys.exit(1 if failed or not total else 0)


# ---- JSON as data: 1 is not true, and not 1.0


def same(one, other):
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    return type(one) is type(other) and one == other


# ---- tagged JSON, as toml-test compares it


def is_tagged(value):
    return isinstance(value, dict) and value.keys() == {"type", "value"} \
        and isinstance(value["type"], str) and isinstance(value["value"], str)


def _instant(text):
    text = re.sub(r"(\.\d{3})\d+", r"\1", text.upper().replace(" ", "T").replace("Z", "+00:00"))
    text = re.sub(r"T(\d\d:\d\d)(?!:)", r"T\1:00", text)
    text = re.sub(r"\.(\d{1,2})(?!\d)", lambda m: "." + m[1].ljust(3, "0"), text)
    return text


def _time(text):
    return _instant("T" + text)


def _same_float(one, other):
    one, other = float(one.replace("_", "")), float(other.replace("_", ""))
    return one == other or math.isnan(one) and math.isnan(other)


def _same_scalar(one, other):
    if one["type"] != other["type"]:
        return False
    first, second = one["value"], other["value"]
    kind = one["type"]
    if kind == "float":
        return _same_float(first, second)
    if kind == "bool":
        return first.lower() == second.lower()
    if kind == "datetime":
        return datetime.fromisoformat(_instant(first)) == datetime.fromisoformat(_instant(second))
    if kind == "datetime-local":
        return _instant(first) == _instant(second)
    if kind == "time-local":
        return _time(first) == _time(second)
    return first == second


def tagged_difference(wanted, found, path="root"):
    """None, or the first place where they differ."""
    if is_tagged(wanted) and is_tagged(found):
        return None if _same_scalar(wanted, found) else f"{path}: {found}, not {wanted}"
    if isinstance(wanted, dict) and isinstance(found, dict) and not is_tagged(wanted):
        if wanted.keys() != found.keys():
            return f"{path} has {sorted(found)}, not {sorted(wanted)}"
        pairs = [(wanted[key], found[key], f"{path}.{key}") for key in wanted]
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = [(one, other, f"{path}[{i}]") for i, (one, other) in enumerate(zip(wanted, found))]
    else:
        return f"{path}: {found}, not {wanted}"
    return next(filter(None, (tagged_difference(*pair) for pair in pairs)), None)


def load(text):
    return json.loads(text)


def outer(before, after):
    """How many bytes are the same from the front, and from the back."""
    shortest = min(len(before), len(after))
    front = next((i for i in range(shortest) if before[i] != after[i]), shortest)
    back = next((i for i in range(shortest - front) if before[-1 - i] != after[-1 - i]),
                shortest - front)
    return front, back
