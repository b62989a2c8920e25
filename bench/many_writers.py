"""Many writers of one file: from the samples of bench/writers.c to tables, rows and a drawing.

A sample is one scheme with one number of writers in one round: a fixed job, and the rate until the
last writer is done with its part (bench/writers.c says why). What is compared was measured in the
same round; a result is the median over the rounds.
"""

import itertools
import statistics
import textwrap

OURS = {False: "untorn", True: "untorn set"}  # for processes, for commands
CONTROL = {False: "again", True: "set again"}
NOISY = 0.1  # ours against ours: what many processes do at once varies more than one by itself
TIMES, RATIO = "times", "ratio"
WIDTH, CELL = 80, 13  # of a table, of one of its columns

# What is judged: writers, commands or not, peer, what is compared, target. Updates per second at
# least so many times the peer's; p99 at most this part of the peer's; 0 is only shown.
JUDGED = [
    (64, False, "lmdb", "rate", 10),
    (64, False, "recipe", "rate", 15),
    (64, False, "sqlite", "rate", 50),
    (64, False, "recipe", "p99_us", 0.2),
    (16, False, "lmdb", "rate", 4),
    (16, True, "git config", "rate", 0),
    (16, True, "crudini", "rate", 0),
]


# ---- the arithmetic ----

def quartiles(values):
    if len(values) == 1:
        return [values[0]] * 3
    return statistics.quantiles(values, n=4, method="inclusive")


def group(samples):
    """{(commands, writers): {scheme: [its samples, by round]}}"""
    found = {}
    for sample in sorted(samples, key=lambda sample: sample["round"]):
        schemes = found.setdefault((sample["commands"], sample["writers"]), {})
        schemes.setdefault(sample["scheme"], []).append(sample)
    return dict(sorted(found.items()))


def ratios(above, below, what):
    return [one[what] / other[what] for one, other in zip(above, below)]


def summarise(samples):
    """One point for each number of writers and scheme."""
    points = []
    for (commands, writers), schemes in group(samples).items():
        for scheme, own in schemes.items():
            if scheme == CONTROL[commands]:
                continue
            low, rate, high = quartiles([sample["rate"] for sample in own])
            points.append({"commands": commands, "writers": writers, "scheme": scheme,
                           "rate": rate, "low": low, "high": high, "rounds": len(own),
                           **{what: statistics.median(sample[what] for sample in own)
                              for what in ("p50_us", "p99_us", "updates")}})
    return points


def us_of(samples, what):
    """Of one update: with the rate, the time by which all together are one further."""
    value = statistics.median(sample[what] for sample in samples)
    return 1e6 / value if what == "rate" else value


def judged_rows(samples):
    """Rows like those of bench/pairs.h, for what has a target or is only shown."""
    rows = []
    for writers, commands, peer, what, target in JUDGED:
        schemes = group(samples).get((commands, writers), {})
        ours, again, theirs = (schemes.get(scheme) for scheme in
                               (OURS[commands], CONTROL[commands], peer))
        if not ours or not again or not theirs:
            continue
        low, value, high = quartiles(ratios(ours, theirs, what))
        control = statistics.median(ratios(ours, again, what))
        rows.append({
            "row": f"{ours[0]['row']}{', p99' if what != 'rate' else ''} against {peer}",
            "peer": theirs[0]["peer"], "unit": TIMES if what == "rate" else RATIO,
            "target": target, "ours_us": us_of(ours, what), "theirs_us": us_of(theirs, what),
            "value": value, "low": low, "high": high, "control": control,
            "steady": abs(control - 1) <= NOISY, "pairs": len(ours)})
    return rows


# ---- tables ----

def order(points):
    """Ours first, the others as they always come."""
    known = [*OURS.values(), "recipe", "python", "sqlite", "lmdb", "git config", "crudini"]
    return sorted({point["scheme"] for point in points},
                  key=lambda scheme: (known + [scheme]).index(scheme))


def thousands(value):
    return f"{value / 1000:.1f}k" if value >= 10000 else f"{value:.0f}"


def spread_of(point):
    return f"{50 * (point['high'] - point['low']) / point['rate']:.0f} %"


def milliseconds(us):
    return f"{us / 1000:.2f}" if us < 10000 else f"{us / 1000:.0f}"


def cell_of(kind, point, ours):
    if kind == "rate":
        return f"{thousands(point['rate'])} ±{spread_of(point)}"
    if kind == "latency":
        return f"{milliseconds(point['p50_us'])} / {milliseconds(point['p99_us'])}"
    if point is ours or not ours:
        return "-"
    return f"{ours['rate'] / point['rate']:.1f} x, {ours['p99_us'] / point['p99_us']:.2f}"


def table_of(points, schemes, kind, title):
    yield f"\n{title}"
    yield f"{'writers':>7}" + "".join(f" {scheme:>{CELL}}" for scheme in schemes)
    for writers in sorted({point["writers"] for point in points}):
        at = {point["scheme"]: point for point in points if point["writers"] == writers}
        ours = next((at[scheme] for scheme in OURS.values() if scheme in at), None)
        yield f"{writers:>7}" + "".join(
            f" {cell_of(kind, at[scheme], ours) if scheme in at else '-':>{CELL}}"
            for scheme in schemes)


def job_of(points, scheme):
    """How many updates of how many writers, as text."""
    own = sorted((point["writers"], round(point["updates"])) for point in points
                 if point["scheme"] == scheme)
    parts = []
    for updates, same in itertools.groupby(own, key=lambda job: job[1]):
        counts = [writers for writers, _ in same]
        few, many = counts[0], counts[-1]
        parts.append((updates, f"{few} to {many}" if many > few else f"{few}"))
    first, *others = parts
    return ", ".join([f"{first[0]} updates of {first[1]}",
                      *(f"{updates} of {writers}" for updates, writers in others)])


def legend_of(points, schemes):
    """The job is what most have; whoever has another is named."""
    jobs = {scheme: job_of(points, scheme) for scheme in schemes}
    usual = statistics.mode(jobs[scheme] for scheme in reversed(schemes))
    text = ("Each writer makes its part of a fixed job; the rate counts until the last one is done."
            f" The job: {usual}.")
    text += "".join(f" {scheme} has another one: {job}." for scheme, job in jobs.items()
                    if job != usual)
    return textwrap.wrap(text, WIDTH)


def lines_of(points):
    """The tables, line by line: those of the processes, then those of the commands."""
    for commands in (False, True):
        own = [point for point in points if point["commands"] == commands]
        schemes = order(own)
        what = "commands in loops" if commands else "processes"
        for kind, title in (
                ("rate", f"many writers: updates/s until all {what} are done, median and spread"),
                ("latency", "p50 / p99 of one update, ms"),
                ("ratio", "untorn against each: times the updates/s, part of the p99")):
            if own:
                yield from table_of(own, schemes, kind, title)
        if own:
            yield ""
            yield from legend_of(own, schemes)
