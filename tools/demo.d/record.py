"""The record of a run: what each process noted, by one clock, where no kill can undo it."""

import collections
import json
import os
import time

LONGEST_GAP, SHORT_GAP = 0.06, 0.008  # seconds without a note, and what a picture shows of them


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

    def acknowledged(self):
        """All that any writer was told is saved."""
        return [note["what"] for note in self.notes() if note["kind"] == "done"]

    def mark(self, words):
        """What begins now, as the picture says it."""
        self.note("mark", None, what=words)

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


def _shown(notes, kills):
    """The notes without the rounds of a lane that has been killed this many times already."""
    killed, skipping = collections.Counter(), False
    for note in notes:
        if note["kind"] == "round":
            skipping = killed[note["lane"]] >= kills
        elif note["kind"] == "kill":
            killed[note["lane"]] += 1
        if not skipping:
            yield note


def _without_idle_time(notes):
    """(time, note) from 0 on, long times in which nothing was noted cut; and where they were."""
    timed, breaks, now, last = [], [], 0.0, None
    for note in notes:
        gap = note["at"] - (last or note["at"])
        if gap > LONGEST_GAP:
            breaks.append(now + SHORT_GAP / 2)
            gap = SHORT_GAP
        now, last = now + gap, note["at"]
        timed.append((now, note))
    return timed, breaks


def _undo_last(writes, lane):
    """After this kill the version that was acknowledged last is not there any more."""
    for write in reversed(writes):
        if write[0] == lane and write[3] == "kept":
            write[3] = "lost"
        if write[0] == lane and write[3] != "killed":
            return


def timeline(notes, lanes, lost, kills):
    """What a picture shows of the notes: writes, kills, and what a reader saw.

    A write is kept, lost (it was acknowledged, and is not there), failed or killed.
    """
    timed, breaks = _without_idle_time(_shown(notes, kills))
    numbers = {lane: number for number, lane in enumerate(lanes)}
    shown = {"lanes": list(lanes.values()), "breaks": breaks, "marks": [], "writes": [],
             "kills": [], "reads": [], "span": timed[-1][0] if timed else 0.0}
    begun, lost = {}, set(lost)
    for at, note in timed:
        kind, lane = note["kind"], numbers.get(note["lane"])
        if kind == "begin":
            begun[lane] = at
        elif kind in ("done", "failed"):
            outcome = "lost" if note["what"] in lost else "kept" if kind == "done" else "failed"
            shown["writes"].append([lane, begun.pop(lane), at, outcome])
        elif kind == "kill":
            if lane in begun:
                shown["writes"].append([lane, begun.pop(lane), at, "killed"])
            shown["kills"].append([lane, at])
        elif kind == "undone":
            _undo_last(shown["writes"], lane)
        elif kind == "mark":
            shown["marks"].append([at, note["what"]])
        elif kind == "read":
            shown["reads"].append([at, note["saw"]])
    return shown
