"""What a whole `make check-long` has to reach, and the table of it in docs/testing.md.

    for line in figures.short_of(tally): ...       what was run and did not come to its goal
    figures.write(document, tally, "37,000 passed, 0 failed")

A tally is what the suites counted, by kind (tests/run.py). A kind that nothing counted was skipped
by name, and is told as not run.
"""

import os
import platform
import re
import time

# What it is, the kind that counts it, how many there must be, another kind that is told beside it,
# and what others publish of themselves.
ROWS = [
    ("simulated crash states, crashes inside the recovery included",
     "simulated crash states", 10_000_000,
     ("simulated crash states, different", "of which {} differ"),
     "SQLite 3.39 (TH3): 2.3 million instances of 49,116 cases"),
    ("calls that fail on the simulated disk", "simulated faults", 0, None, ""),
    ("orders of several simulated processes", "simulated orders of processes", 0,
     ("simulated orders of processes, with a kill", "of which {} with a kill"),
     "TigerBeetle: without end, on 1,024 cores"),
    ("faults at system calls of the real command", "fault positions", 100_000, None,
     "ALICE: more than 4,000 states in which one of 11 programs failed"),
    ("allocations that fail", "failed allocations", 0, None, ""),
    ("states of ext4, xfs and btrfs, mounted", "mounted states", 50_000, None,
     "CrashMonkey: 328 workloads of one operation in 12 minutes"),
    ("power cuts of a machine", "power cuts", 500, None, ""),
    ("updates at the same time", "concurrent updates", 1_000_000, None, ""),
    ("kills meanwhile", "kills", 20_000, None, ""),
]
BLOCK = re.compile(r"(<!-- figures -->\n).*?(<!-- end of figures -->\n)", re.S)


def short_of(tally):
    return [f"{kind}: {tally[kind]:,}, and it should be {goal:,}"
            for _, kind, goal, _, _ in ROWS if 0 < tally[kind] < goal]


def table(tally):
    lines = ["| | asked of it | counted | what others publish of themselves |", "|---|---|---|---|"]
    for what, kind, goal, beside, published in ROWS:
        counted = f"{tally[kind]:,}" if tally[kind] else "not run"
        if beside and tally[beside[0]]:
            counted += ", " + beside[1].format(f"{tally[beside[0]]:,}")
        lines.append(f"| {what} | {f'{goal:,}' if goal else ''} | {counted} | {published} |")
    return "\n".join(lines) + "\n"


def write(document, tally, seconds, total):
    """Puts the table into its place in the document."""
    said = (f"`make check-long` of {time.strftime('%Y-%m-%d', time.gmtime())}, on {os.cpu_count()} "
            f"cores, Linux {platform.release().split('-')[0]}, in {seconds / 60:.0f} minutes: "
            f"{total}.\n\n{table(tally)}")
    text, found = BLOCK.subn(lambda match: match[1] + said + match[2],
                             document.read_text(encoding="utf-8"))
    if not found:
        raise SystemExit(f"{document} has no place for the figures")
    document.write_text(text, encoding="utf-8")
