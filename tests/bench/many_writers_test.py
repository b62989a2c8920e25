#!/usr/bin/python3
"""What the bench makes of the samples of many writers: points, rows, tables, and a drawing."""

import sys
import xml.etree.ElementTree
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import curve  # noqa: E402
import many_writers  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
failures = []
count = 0


def check(sentence, holds):
    global count
    count += 1
    print("ok  " if holds else "FAIL", sentence)
    if not holds:
        failures.append(sentence)


def sample(scheme, rate, writers=64, turn=0, p99=1000.0, commands=False, updates=3200):
    return {"row": f"writers: {writers}" + (" commands" if commands else ""), "round": turn,
            "writers": writers, "commands": commands, "scheme": scheme,
            "peer": f"what {scheme} does", "rate": rate, "p50_us": p99 / 2, "p99_us": p99,
            "updates": updates}


def row_of(samples, name):
    return next(row for row in many_writers.judged_rows(samples) if row["row"] == name)


# Rounds on a machine that gets slower: three times, the same within each round.
DRIFT = [sample(scheme, rate / (turn + 1), turn=turn, p99=p99 * (turn + 1))
         for turn in (2, 0, 1)
         for scheme, rate, p99 in (("untorn", 12000, 100), ("again", 12000, 100),
                                   ("lmdb", 1000, 900), ("recipe", 600, 1000))]


def check_arithmetic():
    row = row_of(DRIFT, "writers: 64 against lmdb")
    check("a ratio is the same however the machine drifts",
          [row["low"], row["value"], row["high"]] == [12, 12, 12] and row["pairs"] == 3)
    check("both sides are told as the time of one update", abs(row["theirs_us"] - 2000) < 1e-6)
    check("the target of a rate is a least", (row["unit"], row["target"]) == ("times", 10))
    row = row_of(DRIFT, "writers: 64, p99 against recipe")
    check("the target of a p99 is a most, in parts of the peer's",
          (row["unit"], row["target"], round(row["value"], 3)) == ("ratio", 0.2, 0.1))
    check("ours against ours is steady where it is one", row["control"] == 1 and row["steady"])
    noisy = [dict(one, rate=one["rate"] * 1.2) if one["scheme"] == "again" else one
             for one in DRIFT]
    row = row_of(noisy, "writers: 64 against lmdb")
    check("ours against ours is not steady where it is off by more than a tenth",
          not row["steady"])
    check("a peer that was not measured has no row",
          not any("sqlite" in row["row"] for row in many_writers.judged_rows(DRIFT)))
    commands = [sample(scheme, rate, 16, commands=True) for scheme, rate in
                (("untorn set", 300), ("set again", 300), ("git config", 100))]
    row = row_of(commands, "writers: 16 commands against git config")
    check("a command is compared with commands, one round is enough",
          row["value"] == 3 and row["low"] == 3 and row["target"] == 0)


def check_tables():
    points = many_writers.summarise(DRIFT)
    ours = next(point for point in points if point["scheme"] == "untorn")
    check("a point is the median of the rounds, with its quartiles",
          (ours["low"], ours["rate"], ours["high"]) == (5000, 6000, 9000) and ours["p99_us"] == 200)
    check("the control is no line of its own",
          {point["scheme"] for point in points} == {"untorn", "lmdb", "recipe"})
    text = "\n".join(many_writers.lines_of(points))
    check("the tables have the rate with its spread", "6000 ±33 %" in text)
    check("the tables have the latencies", "0.10 / 0.20" in text)
    check("the tables have the ratios", "12.0 x, 0.11" in text)
    check("without samples there is no table", not list(many_writers.lines_of([])))
    jobs = many_writers.summarise(
        [sample(scheme, 500, writers, updates=updates) for scheme, writers, updates in
         (("untorn", 4, 800), ("untorn", 8, 3200), ("lmdb", 4, 800), ("lmdb", 8, 3200),
          ("python", 4, 40), ("python", 8, 160))])
    lines = list(many_writers.lines_of(jobs))
    check("the legend tells the job, and why it is one",
          "The job: 800 updates of 4, 3200 of 8." in " ".join(lines) and
          any("until the last" in line for line in lines))
    check("the legend names who has another job",
          "python has another one: 40 updates of 4, 160 of 8." in " ".join(lines))
    check("the legend names nobody who has the same", not any("lmdb has" in line for line in lines))
    widest = many_writers.summarise(
        [sample(scheme, rate, writers, p99=9.9e6) for writers in (1, 64)
         for scheme, rate in (("untorn", 123456), ("recipe", 123.4), ("python", 54321),
                              ("sqlite", 543.2), ("lmdb", 98765))])
    check("no table is wider than 80 columns",
          max(map(len, many_writers.lines_of(widest))) <= 80)


def points_of(drawing, scheme):
    root = xml.etree.ElementTree.fromstring(drawing)
    for line in root.iter(f"{SVG}polyline"):
        if line.get("class") == f"{scheme} line":
            return [tuple(map(float, place.split(","))) for place in line.get("points").split()]
    return None


def check_drawing():
    rates = {"untorn": 1000, "lmdb": 1001, "recipe": 1002, "sqlite": 10, "python": 100}
    samples = [sample(scheme, rate * writers, writers) for scheme, rate in rates.items()
               for writers in (1, 2, 4) if (scheme, writers) != ("python", 4)]
    samples.append(sample("git config", 10 ** 9, 16, commands=True))
    drawing = curve.draw(many_writers.summarise(samples), "ext4 <images>")
    places = points_of(drawing, "untorn")
    check("twice the writers are always equally far to the right",
          abs(places[2][0] - 2 * places[1][0] + places[0][0]) < 0.2)
    check("twice the rate is always equally far up",
          abs(places[2][1] - 2 * places[1][1] + places[0][1]) < 0.2 and
          places[2][1] < places[0][1])
    check("a line ends where its scheme was last measured", len(points_of(drawing, "python")) == 2)
    root = xml.etree.ElementTree.fromstring(drawing)
    texts = {text.text: float(text.get("y", 0)) for text in root.iter(f"{SVG}text")}
    check("every line has its name", {*curve.NAMES.values()} <= {*texts})
    ends = sorted(texts[curve.NAMES[name]] for name in ("untorn", "lmdb", "recipe"))
    check("names of lines that end together do not cover each other",
          min(ends[1] - ends[0], ends[2] - ends[1]) >= curve.LABEL_GAP - 0.2)
    check("the file system is named", any("ext4 <images>" in text for text in texts))
    title = next(text.text for text in root.iter(f"{SVG}text") if text.get("class") == "title")
    check("the title says that the rate counts until all are done",
          title.endswith("updates per second until all writers are done"))
    check("commands are not among the lines", points_of(drawing, "git config") is None)
    check("it is readable in the dark", "prefers-color-scheme: dark" in drawing)


check_arithmetic()
check_tables()
check_drawing()
print(f"{count - len(failures)} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
