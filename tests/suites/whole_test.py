#!/usr/bin/python3
# run: budget 20
"""A whole container set to a changed copy of itself gives, byte for byte, what the one change
gives: of the files in the folder real, every container and every element and member of it.
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from edited import AS_JSON, INSERT, SET, UNSET, Refused, edited, places, read  # noqa: E402
from lib import Count  # noqa: E402

COUNT = Count()
NEW = "untorn-new"


class NotJson(Exception):
    """A date, or a float that JSON does not have."""


def spelled(value):
    """As JSON; floats as they were spelled."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {spelled(member)}"
                               for key, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(spelled, value)) + "]"
    if isinstance(value, tuple):
        if not value[1][-1].isdigit() or "_" in value[1] or value[1].startswith("+"):
            raise NotJson
        return value[1]
    if value is None or isinstance(value, (bool, int, str)):
        return json.dumps(value, ensure_ascii=False)
    raise NotJson


def another(value):
    """A scalar of the same type, about which the same could be said; None: there is no such."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str) and value[:1].isalnum():
        return value + " (untorn)"
    return None


def changes_of_array(array):
    """(the new array, the edit that makes it: kind, index, value)"""
    for index in range(len(array) + 1):
        where = "-" if index == len(array) else index
        yield [*array[:index], NEW, *array[index:]], (SET if where == "-" else INSERT, where, NEW)
    for index, element in enumerate(array):
        if len(array) > 1:
            yield [*array[:index], *array[index + 1:]], (UNSET, index, None)
        if another(element) is not None:
            yield ([*array[:index], another(element), *array[index + 1:]],
                   (SET, index, another(element)))


def changes_of_object(members):
    yield members | {NEW: [1, "x"]}, (SET, NEW, [1, "x"])
    for key, member in members.items():
        if len(members) > 1:
            yield {other: members[other] for other in members if other != key}, (UNSET, key, None)
        if another(member) is not None:
            yield members | {key: another(member)}, (SET, key, another(member))


def is_clear(array):
    """Elements that are equal, or of which one could be the other, leave it open which one went;
    and an array of tables takes nothing else."""
    texts = [spelled(element) for element in array]
    return len(set(texts)) == len(texts) and not any(isinstance(item, dict) for item in array)


def compare(text, form, path, new, one):
    """None, or how the whole set at once differs from the one edit."""
    try:
        wanted = edited(text, form, one)
        found = edited(text, form, (SET, path, spelled(new).encode(), AS_JSON))
    except Refused as error:
        return str(error)
    return None if found == wanted else f"{found.decode()}\n  not\n{wanted.decode()}"


def check(name, text, form, path, value):
    if isinstance(value, list) and not is_clear(value):
        return
    changes = changes_of_array(value) if isinstance(value, list) else changes_of_object(value)
    for new, (kind, step, argument) in changes:
        one = (kind, (*path, step)) if argument is None else \
            (kind, (*path, step), spelled(argument).encode(), AS_JSON)
        COUNT.case(f"a container set as a whole changes as by one edit ({form})",
                   f"{name} {list(path)} {kind} {step}", compare(text, form, path, new, one))


def control():
    """What differs by one blank is noticed."""
    text, one = b'{"a": [1,  2]}', (SET, ("a",), b"[1,  2, 3]", AS_JSON)
    wrong = compare(text + b" ", "json", ("a",), [1, 2, 3], one) or \
        not compare(text, "json", ("a",), [1, 2, 4], one)
    COUNT.case("the control: another text is noticed", "blank", wrong or None)


control()

for file in sorted((Path(__file__).resolve().parent / "real").iterdir()):
    content, ending = file.read_bytes(), file.suffix[1:]
    for place, inside in places(read(content, ending)):
        if not isinstance(inside, (dict, list)):
            continue
        try:
            check(file.name, content, ending, place, inside)
        except NotJson:
            continue
COUNT.finish()
