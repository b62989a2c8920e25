#!/usr/bin/python3
"""The Python package, against what a program in Python would do without it.

A program of rows as bench/pairs.h describes them, and measured by it: `make bench` puts this file
and python_rows.c beside each other into $BUILD/bench. Each side of a row is one call of Python from
C, half a microsecond, which counts in both.
"""

import ctypes
import functools
import gc
import importlib.util
import itertools
import json
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

import untorn  # noqa: E402

SIDE = ctypes.CFUNCTYPE(None)
UNITS = ["ratio", "difference", "time", "times"]
# The interpreter's lock is kept: what is called is Python again.
rows = ctypes.PyDLL(str(HERE / "libpython_rows.so"))
kept = []  # C has pointers to them


def side(function):
    """As a function of C; what it raises ends the program."""
    if not isinstance(function, type(lambda: 0)):
        return function

    @functools.wraps(function)
    def call():
        try:
            function()
        except BaseException as error:
            sys.stderr.write(f"{function.__name__}: {error!r}\n")
            sys.stderr.flush()
            os._exit(1)
    kept.append(SIDE(call))
    return kept[-1]


def add(name, peer, ours, theirs, unit="ratio", target=0.0, ext4_target=0.0, prepare=None, batch=1,
        needs=()):
    for module in needs:
        if importlib.util.find_spec(module) is None:
            print(json.dumps({"row": name, "skipped": f"the Python module {module} is missing"}),
                  flush=True)
            return
    texts = [text.encode() for text in (name, peer)]
    kept.append(texts)
    rows.python_rows_add(*texts, side(prepare) if prepare else None, side(ours), side(theirs),
                         UNITS.index(unit), ctypes.c_double(target), ctypes.c_double(ext4_target),
                         batch)


# ---- a state of 4 KiB as JSON ----

STATE = {"version": 0, "items": [{"id": number, "name": f"item {number}", "done": False}
                                 for number in range(56)]}


def fresh_state():
    STATE["version"] += 1
    return STATE


def make_folders():
    for folder in ("ours", "hand"):
        os.makedirs(folder, exist_ok=True)


def write_json():
    untorn.write_json("ours/state.json", fresh_state())


def write_json_alone():
    untorn.write_json("ours/state.json", fresh_state(), keep=0)


def write_by_hand():
    with open("hand/state.json.tmp", "w", encoding="utf-8") as file:
        json.dump(fresh_state(), file, indent=2)
        file.flush()
        os.fdatasync(file.fileno())
    os.rename("hand/state.json.tmp", "hand/state.json")
    folder = os.open("hand", os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_by_atomicwrites():
    import atomicwrites
    with atomicwrites.atomic_write("hand/state.json", overwrite=True) as file:
        json.dump(fresh_state(), file, indent=2)


# ---- one key of a TOML file of 1 KiB ----

SETTINGS = "# what the server does\n" + "".join(
    f"\n[table-{number}] # kept\nname = \"number {number}\"\nport = {8000 + number}\n"
    "enabled = true\nratio = 0.5\n" for number in range(12))
numbers = itertools.count()


def make_settings():
    make_folders()
    for folder in ("ours", "hand"):
        Path(folder, "app.toml").write_text(SETTINGS, encoding="utf-8")


def set_value():
    untorn.set("ours/app.toml", "table-6.port", next(numbers), level="cache")


def set_by_tomlkit():
    import filelock
    import tomlkit
    with filelock.FileLock("hand/app.toml.lock"):
        with open("hand/app.toml", encoding="utf-8") as file:
            document = tomlkit.parse(file.read())
        document["table-6"]["port"] = next(numbers)
        with open("hand/app.toml.tmp", "w", encoding="utf-8") as file:
            file.write(tomlkit.dumps(document))
        os.replace("hand/app.toml.tmp", "hand/app.toml")


# ---- what a call costs more than in C ----

def make_small():
    Path("small.json").write_text('{"a": {"b": 1}}', encoding="utf-8")


def read_bytes():
    untorn.read_bytes("small.json")


def get():
    untorn.get("small.json", "a.b")


def add_rows():
    add("Python: write_json, 4 KiB, durable",
        "json.dump to a file, fdatasync, rename, fsync of the directory",
        write_json, write_by_hand, target=1.1, prepare=make_folders)
    add("Python: write_json against atomicwrites", "atomicwrites.atomic_write and json.dump",
        write_json, write_by_atomicwrites, target=1.0, prepare=make_folders,
        needs=["atomicwrites"])
    add("Python: write_json, keep=0, against atomicwrites",
        "atomicwrites.atomic_write and json.dump; neither keeps an earlier version",
        write_json_alone, write_by_atomicwrites, target=1.0, prepare=make_folders,
        needs=["atomicwrites"])
    add("Python: set in 1 KiB of TOML, cache",
        "filelock.FileLock, tomlkit.parse, tomlkit.dumps, os.replace",
        set_value, set_by_tomlkit, unit="times", target=12, ext4_target=20,
        prepare=make_settings, needs=["filelock", "tomlkit"])
    add("Python: read_bytes, over C", "untorn_read of the same file in C",
        read_bytes, rows.python_rows_read, unit="difference", target=3, prepare=make_small,
        batch=20)
    add("Python: get of one value, over C", "untorn_get of the same key in C",
        get, rows.python_rows_get, unit="difference", target=3, prepare=make_small, batch=20)


def main():
    gc.disable()  # nothing here makes cycles, and a collection would hit one side by chance
    add_rows()
    arguments = [os.fsencode(argument) for argument in sys.argv]
    return rows.python_rows_run(len(arguments), (ctypes.c_char_p * len(arguments))(*arguments))


if __name__ == "__main__":
    sys.exit(main())
