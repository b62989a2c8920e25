# Real file systems lose their power: ext4, xfs and btrfs, every legal state of the device between
# two flushes or a choice of them, mounted by the kernel, recovered and judged (block_replay.c).
# run: serial, budget 55, timeout 3600
"""UNTORN_LONG=1: 17,000 states of each file system and more, every control, every kind of fault.
UNTORN_LONG=all: each at every write and flush.

    power_cut_test.py [machinery|controls|promises|faults]...      these parts only
"""

import concurrent.futures
import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from lib import Cannot, FILE_SYSTEMS, PROGRAMS, Recording, Verdict, lacks, own_mounts, run

LONG = bool(os.environ.get("UNTORN_LONG"))
STEP = {None: 14, "all": 1}.get(os.environ.get("UNTORN_LONG"), 4)  # from one fault to the next
JOBS = int(os.environ.get("BLOCK_JOBS", "4"))  # most of the time each of them waits
STATES = 17000  # of each file system, when there is time
UPDATES, LIMIT = (6, 48) if LONG else (3, 5)
EACH = tuple(FILE_SYSTEMS)

# What is broken, on which file systems it shows, and the word that tells it. ext4 and btrfs flush a
# file that is renamed over another; btrfs never writes over data.
BROKEN = [
    ("no-flush", EACH, "of update|no version|gone"),
    ("no-directory-flush", EACH, "of update"),
    ("no-stage-flush", ("xfs",), "no version"),
    ("overwrite", ("ext4", "xfs"), "no version"),
    ("two-replaces", EACH, "mixed"),
]
# What a reader finds who knows nothing of untorn, before anybody has recovered.
UNRECOVERED = [("in-place", ("ext4", "xfs"), "no version")]
# Of these an acknowledgement that comes too early is noticed; the others promise less.
PROMISED_LESS = ("replace-ordered", "set-ordered")
QUICK_EARLY = ("replace", "in-place", "append", "set-two-folders", "edit", "ensure", "command")

FAULTS = [("write", errno.EIO), ("write", errno.ENOSPC), ("flush", errno.EIO)]
REPEATABLE = ("replace", "stream", "in-place", "link", "set", "set-two-folders")


class Count:
    """What is said at the end."""

    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0
        self.states = {kind: 0 for kind in EACH}

    def say(self, sentence, problem=""):
        self.passed += not problem
        self.failed += bool(problem)
        print(f"FAIL {sentence}\n{problem}" if problem else f"ok  {sentence}", flush=True)

    def skip(self, sentence, reason):
        self.skipped += 1
        print(f"skip {sentence}: {reason}", flush=True)

    def add(self, kind, verdict):
        self.states[kind] += verdict.states


COUNT = Count()


def scenarios():
    """Those of untorn."""
    names = run([PROGRAMS / "block_work", "--list"]).splitlines()
    return [name for name in names if not name.endswith("(broken)")]


SCENARIOS = scenarios()


def recorded(job):
    """Records and replays one job: (kind, scenario, seed, words of Recording, of replay)."""
    kind, scenario, seed, making, judging = job
    is_control = making.get("early") or "--plain" in judging or scenario not in SCENARIOS
    try:
        recording = Recording(kind, scenario, seed, **making)
    except (RuntimeError, subprocess.TimeoutExpired) as problem:
        return job, Verdict(str(problem))
    verdict = recording.replay(*judging, keep=not is_control)
    recording.forget()
    return job, verdict


def each(jobs):
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for done in concurrent.futures.as_completed([pool.submit(recorded, job) for job in jobs]):
            job, verdict = done.result()
            COUNT.add(job[0], verdict)
            yield job, verdict


# ---- what untorn promises ----

def jobs_of(kinds, seed):
    for scenario in SCENARIOS:
        updates = min(UPDATES, 5) if scenario == "create" else UPDATES
        for kind in kinds:
            yield (kind, scenario, seed, {"updates": updates}, ("--limit", str(LIMIT)))


def promises_hold(kinds):
    """Every scenario on every file system; in the long run, with one seed after the other."""
    seed = 0
    while kinds:
        seed += 1
        for job, verdict in each(list(jobs_of(kinds, seed))):
            sentence = f"{job[0]}: {job[1]}, seed {seed}: {verdict.states} states"
            bad = verdict.bad or verdict.broken or verdict.states == 0
            COUNT.say(sentence, verdict.output if bad else "")
        kinds = [kind for kind in kinds if LONG and COUNT.states[kind] < STATES]


# ---- controls ----

def caught(what, jobs, words):
    for job, verdict in each(jobs):
        tells = re.search(f"^bad: .*({words[job[1]]})", verdict.output, re.M)
        COUNT.say(f"{job[0]}: {what} is caught: {job[1]}, "
                  f"{verdict.bad} of {verdict.states} states bad",
                  "" if tells and not verdict.broken else verdict.output or "not caught")


def controls_are_caught(kinds):
    limit = ("--limit", "24" if LONG else "8")
    caught("what is broken",
           [(kind, name, 1, {"updates": 3}, limit)
            for name, where, _ in BROKEN for kind in where if kind in kinds],
           {name: word for name, _, word in BROKEN})
    caught("a reader without recovery",
           [(kind, name, 1, {"updates": 2}, (*limit, "--plain"))
            for name, where, _ in UNRECOVERED for kind in where if kind in kinds],
           {name: word for name, _, word in UNRECOVERED})
    early = [name for name in SCENARIOS if name not in PROMISED_LESS] if LONG else QUICK_EARLY
    caught("an early word",
           [(kind, name, 1, {"updates": 2, "early": True}, ("--limit", "2"))
            for name in early for kind in kinds],
           {name: "." for name in early})


# ---- faults of the device ----

def fault_jobs(kind, scenario, position):
    """The write or flush at this position fails, once or from then on."""
    for request, error in FAULTS if LONG else FAULTS[:1] + FAULTS[2:]:
        for how in ("once", "always") if LONG else ("once",):
            fault = f"{request} {position} {error} {how}"
            yield (kind, scenario, 1, {"updates": 2 if LONG else 1, "fault": fault},
                   ("--limit", "4" if LONG else "2"))


def faults_are_told(kinds):
    """Whatever the call said when the device failed is true after a power loss too."""
    for scenario in REPEATABLE if LONG else ("set-two-folders",):
        met = dict.fromkeys(kinds, 0)
        states = 0
        going = set(kinds)
        position = 1
        while going:
            met_here = set()
            for job, verdict in each([job for kind in sorted(going)
                                      for job in fault_jobs(kind, scenario, position)]):
                states += verdict.states
                if verdict.faults:
                    met_here.add(job[0])
                    met[job[0]] += 1
                if verdict.bad or verdict.broken:
                    COUNT.say(f"{job[0]}: {scenario} when {job[3]['fault']} fails", verdict.output)
            going &= met_here
            position += STEP
        COUNT.say(f"{scenario}: what is said when the device fails is true: "
                  f"{sum(met.values())} faults, {states} states",
                  "" if all(met.values()) else "no fault was met")


# ---- the machinery ----

def loops_of(process):
    return [file for file in Path("/sys/block").glob("loop*/loop/backing_file")
            if f"image-{process}" in file.read_text()]


def waits_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def nothing_stays(kind):
    """A replay that is killed leaves neither a mount nor a loop device."""
    recording = Recording(kind, "replace", 1)
    for number in (signal.SIGTERM, signal.SIGKILL):
        child = subprocess.Popen([PROGRAMS / "block_replay", recording.log],
                                 stdout=subprocess.DEVNULL)
        began = waits_until(lambda pid=child.pid: loops_of(pid))
        child.send_signal(number)
        child.wait()
        gone = waits_until(lambda pid=child.pid: not loops_of(pid))
        COUNT.say(f"{kind}: nothing stays of a replay that ends by {number.name}",
                  "" if began and gone else f"began {began}, gone {gone}")
    recording.forget()


def bad_states_come_again(kind):
    """The line that tells of a bad state leads to it."""
    recording = Recording(kind, "two-replaces", 1, updates=2)
    output = recording.replay("--limit", "8").output
    problem = re.search(r"^bad: (.*)$", output, re.M)
    state = re.search(r"--state '([^']*)' --shell", output)
    problem_again, seen = "", ""
    if state:
        again = recording.replay("--state", state[1])
        problem_again = again.output
        seen = subprocess.run(
            [PROGRAMS / "block_replay", "--state", state[1], "--shell", recording.log],
            input="ls d; exit\n", stdout=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "SHELL": "/bin/sh"}).stdout
    good = problem and problem[0] in problem_again and re.search(r"^a\nb$", seen, re.M)
    COUNT.say(f"{kind}: a bad state can be looked at again",
              "" if good else f"{output}\n{problem_again}\n{seen}")
    recording.forget()


def machinery_works(kinds):
    for kind in kinds[:1]:
        nothing_stays(kind)
        bad_states_come_again(kind)


PARTS = {"machinery": machinery_works, "controls": controls_are_caught, "promises": promises_hold,
         "faults": faults_are_told}


def main():
    try:
        own_mounts()
    except Cannot as reason:
        print(reason)
        return 77
    kinds = []
    for kind in EACH:
        if lacks(kind):
            COUNT.skip(kind, lacks(kind))
        else:
            kinds.append(kind)
    for name, part in PARTS.items():
        if name in sys.argv[1:] or len(sys.argv) == 1:
            part(kinds)
    print(", ".join(f"{kind} {number}" for kind, number in COUNT.states.items()),
          "mounted states")
    print(f"tally: mounted states {sum(COUNT.states.values())}")
    print(f"{COUNT.passed} passed, {COUNT.failed} failed"
          + (f", {COUNT.skipped} skipped" if COUNT.skipped else ""))
    return 1 if COUNT.failed else 0


if __name__ == "__main__":
    sys.exit(main())
