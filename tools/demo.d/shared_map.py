"""Report D: a map from targets to UUIDs that all processes of a machine share."""

import os
import uuid

import processes
import trials
from trials import WHOLE

TITLE = "A map that all processes share"
STORY = """One file maps every target that was ever investigated to its UUID, for all processes
of the machine. The program loads the map, adds an entry and saves it all. Two at once lose one
of the two entries, many that ask for one target get different UUIDs, and a map that was torn by
a kill is taken for an empty one: the next save makes that final. With untorn one process makes
the entry and all get it, and a damaged map is told and kept as it is."""
PROCESSES, TARGETS = 8, 25
CROWD = 64
KILLS = 24
OLD = 120


class Map(trials.Subject):
    files = ("investigations.json",)
    call = "investigation_for()"

    def __init__(self, folder, program):
        super().__init__(folder)
        self.program = program
        self.path = os.path.join(folder, self.files[0])

    def target(self, name):
        return os.path.join(os.path.realpath(self.folder), "targets", str(name))

    def restart(self, version):
        trials.empty_folder(self.folder)

        def begin():
            self.program.save_investigations(
                self.path, {self.target(f"old{n}"): str(uuid.uuid4()) for n in range(OLD)})
            self.write(version)

        processes.finish(processes.start(begin))

    def write(self, version):
        """A version is one more target."""
        self.program.investigation_for(self.target(version), self.path)

    def look(self):
        try:
            known = self.program.load_investigations(self.path)
            names = [os.path.basename(target) for target in known]
            if sum(name.startswith("old") for name in names) == OLD:
                return [WHOLE, max(int(name) for name in names if name.isdigit())]
        except Exception:
            pass
        return [trials.wrong(self.path), None]

    def ask_for_targets(self, number, record):
        for index in range(TARGETS):
            self.ask_for(f"{number}-{index}", number, record)

    def ask_for(self, name, lane, record):
        """Asks for a target, and notes which UUID it got."""
        got = record.write(lane, name,
                           lambda: self.program.investigation_for(self.target(name), self.path))
        record.note("got", lane, what=name, uuid=got)

    def known(self):
        """What the map has, by the last part of the target."""
        try:
            found = self.program.load_investigations(self.path)
            return {os.path.basename(target): name for target, name in found.items()}
        except Exception:
            return {}


def given(record):
    """[target, UUID] of everything that a caller was given."""
    return [[note["what"], note["uuid"]] for note in record.notes()
            if note["kind"] == "got" and note["uuid"]]


def race_for_many(stand, shared, record):
    shared.restart(0)
    record.mark(f"{PROCESSES} processes at once")
    reader = processes.start(trials.read_on, shared, record)
    processes.crowd(PROCESSES, shared.ask_for_targets, record)
    processes.kill(reader)
    known, answers = processes.ask(shared.known), given(record)
    lost = [target for target, name in answers if known.get(target) != name]
    refused = PROCESSES * TARGETS - len(answers)
    stand.row(f"{PROCESSES} processes add {TARGETS} targets each at once", len(lost) + refused,
              PROCESSES * TARGETS, {"overwritten": len(lost), "refused": refused})
    return lost


def race_for_one(stand, shared):
    """Whoever got another UUID than the map has works on an investigation nobody will find."""
    record = stand.record()
    shared.restart(0)
    processes.crowd(CROWD, lambda number: shared.ask_for("one", number, record))
    kept, answers = processes.ask(shared.known).get("one"), given(record)
    astray = sum(name != kept for _, name in answers)
    refused = CROWD - len(answers)
    stand.row(f"{CROWD} processes ask for one target at once", astray + refused, CROWD,
              {"with a UUID of its own": astray, "refused": refused})


def meet_a_torn_map(stand, shared):
    """Half a map, as a kill leaves it: what of it is still on the disk after the next caller?"""
    shared.restart(0)
    size = os.path.getsize(shared.path)
    known = processes.ask(shared.known).values()
    os.truncate(shared.path, size * 2 // 3)
    with open(shared.path, "rb") as file:
        there = file.read()
    readable = [name for name in known if name.encode() in there]
    record = stand.record()
    processes.finish(processes.start(shared.ask_for, "next", 0, record))
    with open(shared.path, "rb") as file:
        there = file.read()
    lost = sum(name.encode() not in there for name in readable)
    stand.row("a torn map is met, and one more target asked for", lost, len(readable),
              {"taken for an empty map": lost})


def run(stand):
    shared = Map(stand.place("map"), stand.program("investigations"))
    record = stand.record()
    lost = race_for_many(stand, shared, record)
    race_for_one(stand, shared)
    meet_a_torn_map(stand, shared)
    stand.sweep("killed at system calls of investigation_for()", [shared])
    stand.storm("killed at a random moment", [(shared, "killed")], record, KILLS)
    stand.reads(record)
    lanes = {number: f"process {number + 1}" for number in range(PROCESSES)}
    stand.picture(record, {**lanes, "killed": "one, killed"}, lost)
