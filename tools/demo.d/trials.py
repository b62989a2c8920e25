"""What is done to every program: killed before each system call of a write, and at random moments.

A Subject is a program with the files it writes. Each write has a version, a number that goes up by
one; whoever looks at the files learns which version they hold, and whether they are whole.
"""

import collections
import json
import os
import random
import shutil
import time

import processes

WHOLE = "whole"
# What can be wrong: files of two versions, a part of a file, nothing in it, no file, and a whole
# version that is older than the one that was acknowledged.
MIXED, TORN, EMPTY, MISSING, GONE = "mixed", "torn", "empty", "missing", "gone"
SWEEP_SECONDS = 5.0  # for all subjects of a report
LEAST_KILLS = 12
READER_PAUSE = 0.0004
AFTER_THE_KILL = 0.004


def empty_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)


def is_json(data):
    try:
        json.loads(data)
        return True
    except ValueError:
        return False


class Subject:
    """A program and its files. Its methods but restart() run in processes of their own."""

    files = ()  # the names of its files, as the picture shows them
    call = "save()"  # what is killed

    def __init__(self, folder):
        self.folder = folder

    def restart(self, version):
        """An empty folder, and this version in it."""
        empty_folder(self.folder)
        processes.finish(processes.start(self.write, version))

    def write(self, version):
        raise NotImplementedError

    def settle(self, version):
        """A write that is not killed: after it the files are as before any."""
        self.write(version)

    def look(self):
        """[verdict, version] of what a reader finds; the version is None unless whole."""
        raise NotImplementedError

    def is_whole(self, data):
        """Whether these bytes are a whole file, of whatever version."""
        return is_json(data)

    def contents(self):
        """The bytes of each file, None for one that is not there."""
        found = []
        for name in self.files:
            try:
                with open(os.path.join(self.folder, name), "rb") as file:
                    found.append(file.read())
            except FileNotFoundError:
                found.append(None)
        return found

    def states(self, old):
        """Each file, as the disk has it: old, new, or what is wrong with it."""
        return ["old" if now == then else MISSING if now is None else EMPTY if now == b"" else
                "new" if self.is_whole(now) else TORN
                for then, now in zip(old, self.contents())]


def wrong(path):
    """The verdict on a file that could not be read as it should."""
    try:
        return TORN if os.path.getsize(path) else EMPTY
    except FileNotFoundError:
        return MISSING


def judge(found, acknowledged):
    """The verdict on what was found: also a whole version is wrong if a later one was promised."""
    verdict, version = found
    return GONE if verdict == WHOLE and version < acknowledged else verdict


def spread(count):
    """1 to count, first some from all over, then what lies between: any beginning of it is even."""
    return [point for first in (0, 4, 2, 6, 1, 5, 3, 7) for point in range(first + 1, count + 1, 8)]


def sweep(subject, stand, seconds):
    """Kills a write before each of its system calls, or as many as a slow disk leaves time for.

    Returns the verdicts, for each kill a column of the picture, and how many calls there are.
    """
    subject.restart(0)
    processes.finish(processes.start(subject.settle, 1))
    calls, _ = processes.run_until_call(lambda: subject.write(2), 0)
    counts, columns, version = collections.Counter(), {}, 3
    processes.finish(processes.start(subject.settle, version))
    deadline = time.monotonic() + seconds
    for point in spread(calls):
        if len(columns) >= LEAST_KILLS and time.monotonic() > deadline:
            break
        old = subject.contents()
        _, killed = processes.run_until_call(lambda: subject.write(version + 1), point)
        states = subject.states(old)
        found = processes.ask(subject.look)
        verdict = judge(found, version if killed else version + 1)
        counts[verdict] += 1
        columns[point] = [*states, verdict]
        stand.progress(f"{subject.call}, killed at system call {point}:", len(columns), calls,
                       counts)
        version += 2
        if verdict == WHOLE:
            # The next one must not have this one's remains to clear away: its calls are counted.
            processes.finish(processes.start(subject.settle, version))
        else:
            subject.restart(version)
    return counts, [columns[point] for point in sorted(columns)], calls


def write_on(subject, version, record, lane, gate):
    while True:
        record.note("begin", lane, what=version)
        if gate:
            gate.arrive()
            gate = None
        subject.write(version)
        record.note("done", lane, what=version)
        version += 1


def read_on(subject, record):
    while True:
        record.note("read", "reader", saw=subject.look()[0])
        time.sleep(READER_PAUSE)


def write_seconds(subject):
    """How long a write takes, about."""
    started = time.monotonic()
    for version in (1, 2):
        processes.finish(processes.start(subject.write, version))
    return (time.monotonic() - started) / 2


def storm(subject, stand, record, lane, rounds):
    """A writer that writes on and on is killed at random, again and again, while a reader reads.

    Returns the verdicts after the kills.
    """
    counts = collections.Counter()
    subject.restart(0)
    longest = max(0.004, 3 * write_seconds(subject))
    version = 3
    subject.restart(version)
    for number in range(rounds):
        record.note("round", lane)
        reader = processes.start(read_on, subject, record)
        gate = processes.Gate()
        writer = processes.start(write_on, subject, version + 1, record, lane, gate)
        gate.wait_for_one()
        time.sleep(random.uniform(0, longest))
        if not processes.kill(writer):
            raise RuntimeError(f"a writer of {subject.call} ended by itself")
        record.note("kill", lane)
        time.sleep(AFTER_THE_KILL)
        found = processes.ask(subject.look)
        processes.kill(reader)
        verdict = judge(found, record.last("done", lane, version))
        counts[verdict] += 1
        if verdict != WHOLE:
            record.note("undone", lane)
        stand.progress("killed at random", number + 1, rounds, counts)
        version = record.last("begin", lane, version) + 1
        if verdict == WHOLE:
            version = found[1]
        else:
            subject.restart(version)
    return counts
