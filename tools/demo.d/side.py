"""side.py REPORT PROGRAMS SCRATCH [quick]   one report against one of the two programs.

PROGRAMS is the folder with the programs, as reported or on untorn: that is the only difference.
Prints what happens as lines of JSON, for the process that shows it.
"""

import collections
import importlib
import itertools
import json
import os
import sys

sys.dont_write_bytecode = True

import processes  # noqa: E402
import trials  # noqa: E402
from record import Record, timeline  # noqa: E402

REPORTS = {"A": "four_files", "B": "one_config", "C": "six_writers", "D": "shared_map"}
QUICK = 10  # a quick run does a tenth
SHOWN_KILLS = 8  # a picture of more would be no clearer


class Stand:
    """Where the trials of a report take place: its program, folders, and who is told."""

    def __init__(self, programs, scratch, quick):
        self._programs, self._scratch, self.quick = programs, scratch, quick
        self._numbers = itertools.count(1)

    def program(self, name):
        sys.path.insert(0, self._programs)
        return importlib.import_module(name)

    def place(self, name):
        return os.path.join(self._scratch, name)

    def record(self):
        return Record(self.place(f"record{next(self._numbers)}"))

    def times(self, count):
        return max(1, count // QUICK) if self.quick else count

    def _tell(self, **message):
        print(json.dumps(message), flush=True)

    def progress(self, stage, done, of, counts):
        self._tell(progress={"stage": stage, "done": done, "of": of, "counts": dict(counts)})

    def row(self, what, lost, of, detail):
        self._tell(row={"what": what, "lost": lost, "of": of,
                        "detail": {name: count for name, count in detail.items() if count}})

    def note(self, text):
        self._tell(note=text)

    def verdicts(self, what, counts):
        wrong = {verdict: count for verdict, count in counts.items() if verdict != trials.WHOLE}
        self.row(what, sum(wrong.values()), sum(counts.values()), wrong)

    def race(self, what, count, function, record, there):
        """Lets many processes write at once; there() is what is found of it afterwards."""
        processes.crowd(count, function, record)
        found = processes.ask(there)
        kinds = collections.Counter(note["kind"] for note in record.notes())
        lost = [one for one in record.acknowledged() if one not in found]
        self.row(what, len(lost) + kinds["failed"], kinds["begin"],
                 {"overwritten": len(lost), "refused": kinds["failed"]})
        return lost

    def sweep(self, what, subjects):
        total, all_calls = collections.Counter(), 0
        seconds = trials.SWEEP_SECONDS / len(subjects) / (QUICK if self.quick else 1)
        try:
            for subject in subjects:
                counts, columns, calls = trials.sweep(subject, self, seconds)
                total += counts
                all_calls += calls
                self._tell(map={"call": subject.call, "files": subject.files, "columns": columns,
                                "calls": calls})
        except processes.NoTracing:
            self.note(f"not tried: {what}, as no process can be traced here")
            return
        self.verdicts(what, total)
        if sum(total.values()) < all_calls:
            self.note(f"killed at {sum(total.values())} of {all_calls} system calls: at all it "
                      "would have taken too long here")

    def storm(self, what, subjects, record, kills):
        total = collections.Counter()
        record.mark("killed at random, one after the other")
        for subject, lane in subjects:
            total += trials.storm(subject, self, record, lane, self.times(kills))
        self.verdicts(what, total)

    def reads(self, record):
        counts = collections.Counter(note["saw"] for note in record.notes()
                                     if note["kind"] == "read")
        self.verdicts("not whole, of what a reader saw meanwhile", counts)

    def picture(self, record, lanes, lost=(), kills=SHOWN_KILLS):
        self._tell(picture=timeline(record.notes(), lanes, lost, kills))


def main():
    processes.end_with_parent()
    report, programs, scratch, *more = sys.argv[1:]
    stand = Stand(programs, scratch, "quick" in more)
    importlib.import_module(REPORTS[report]).run(stand)
    print(json.dumps({"end": True}), flush=True)


if __name__ == "__main__":
    main()
