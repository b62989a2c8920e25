"""The record of a run: what each process noted, with one clock, in a file that a kill cannot undo."""

import json
import os
import time


class Record:
    """Lines of JSON, each appended by one write: whoever is killed next has told all before it."""

    def __init__(self, path):
        self._path = path
        self._notes, self._read_up_to = [], 0
        self._file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def note(self, kind, lane, **more):
        line = json.dumps({"at": time.monotonic(), "kind": kind, "lane": lane, **more})
        os.write(self._file, line.encode() + b"\n")

    def notes(self):
        with open(self._path, "rb") as file:
            file.seek(self._read_up_to)
            for line in file:
                self._notes.append(json.loads(line))
            self._read_up_to = file.tell()
        return sorted(self._notes, key=lambda note: note["at"])

    def last(self, kind, lane, otherwise):
        """What the writer of a lane last began, or was last told is saved."""
        return next((note["what"] for note in reversed(self.notes())
                     if note["kind"] == kind and note["lane"] == lane), otherwise)

    def write(self, lane, what, function):
        """Calls a function that writes, and notes when it began and how it ended."""
        self.note("begin", lane, what=what)
        try:
            result = function()
        except Exception as error:  # a program that fails is what is to be seen
            self.note("failed", lane, what=what, why=type(error).__name__)
            return None
        self.note("done", lane, what=what)
        return result


def timeline(notes, lanes, lost=()):
    """What a picture shows of the notes: writes, kills, and what a reader saw.

    A write is kept, lost (it was acknowledged, and is not there), failed or killed.
    """
    if not notes:
        return {"lanes": [], "writes": [], "kills": [], "reads": [], "span": 0.0}
    origin = notes[0]["at"]
    shown = {"lanes": [lanes.get(lane, lane) for lane in lanes], "writes": [], "kills": [],
             "reads": [], "span": notes[-1]["at"] - origin}
    numbers = {lane: number for number, lane in enumerate(lanes)}
    begun, lost = {}, set(map(str, lost))
    for note in notes:
        at, kind, lane = note["at"] - origin, note["kind"], numbers.get(note["lane"])
        if kind == "begin":
            begun[lane] = at
        elif kind in ("done", "failed"):
            outcome = kind if kind == "failed" else "lost" if str(note["what"]) in lost else "kept"
            shown["writes"].append([lane, begun.pop(lane), at, outcome])
        elif kind == "kill":
            if lane in begun:
                shown["writes"].append([lane, begun.pop(lane), at, "killed"])
            shown["kills"].append([lane, at])
        elif kind == "read":
            shown["reads"].append([at, note["saw"]])
    return shown
