"""The pictures of a report, as SVG: what happened when, and what a kill at each point left."""

import collections
import itertools
from html import escape

WIDTH, LABELS = 1000, 132
PLOT = WIDTH - LABELS
AXIS, READER, HEAD, MARKS, GAP = 24, 30, 26, 16, 14
BIN = 3  # the reader's ticks are this far apart; of several the worst is shown
# From good to bad.
VERDICTS = ("whole", "gone", "missing", "empty", "mixed", "torn", "readable by others")
OUTCOMES = ("kept", "failed", "lost", "killed")


def _number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


def _box(x, y, width, height):
    return f"M{_number(x)} {_number(y)}h{_number(width)}v{_number(height)}h-{_number(width)}z"


def _word(verdict):
    """A verdict as a name of a class."""
    return verdict.split()[0]


def text(x, y, words, kind="", anchor="start"):
    return (f'<text x="{_number(x)}" y="{_number(y)}" class="{kind}" text-anchor="{anchor}">'
            f"{escape(words)}</text>")


def counts(words, zero=""):
    """[a, b, a] as `2 a, 1 b`."""
    counted = collections.Counter(words)
    return ", ".join(f"{count} {word}" for word, count in counted.most_common()) or zero


def svg(name, title, description, height, parts):
    return (f'<svg viewBox="0 0 {WIDTH} {_number(height)}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc">\n'
            f'<title id="{name}-title">{escape(title)}</title>\n'
            f'<desc id="{name}-desc">{escape(description)}</desc>\n'
            + "\n".join(parts) + "\n</svg>")


def _tick(saw, x, bottom):
    """Low is whole; high is not, and in two parts of two versions."""
    if saw == "whole":
        return _box(x, bottom - 9, BIN - 0.6, 9)
    if saw == "mixed":
        return _box(x, bottom - 26, BIN - 0.6, 10) + _box(x, bottom - 10, BIN - 0.6, 10)
    return _box(x, bottom - 26, BIN - 0.6, 26)


class Panel:
    """What one side did, over time."""

    def __init__(self, side, picture, top):
        self.side, self.picture, self.top = side, picture, top
        lanes = len(picture["lanes"])
        self.lane = 30 if lanes < 3 else 20 if lanes < 8 else 15 if lanes < 12 else 13
        self.top = top = top + (MARKS if picture["marks"] else 0)
        self.head = self.top - (MARKS if picture["marks"] else 0)
        self.reader = top + HEAD + lanes * self.lane + 6
        self.bottom = self.reader + READER + AXIS
        self.scale = PLOT / max(picture["span"], 0.001)

    def x(self, at):
        return LABELS + at * self.scale

    def y(self, lane):
        return self.top + HEAD + lane * self.lane

    def summary(self):
        picture = self.picture
        return (f"{counts((write[3] for write in picture['writes']), 'no writes')}; "
                f"{len(picture['kills'])} kills; a reader saw "
                f"{counts((saw for _, saw in picture['reads']), 'nothing')}")

    def parts(self):
        yield text(0, self.head + 14, self.side, "side")
        yield text(LABELS, self.head + 14, self.summary(), "faint")
        for at, words in self.picture["marks"]:
            yield text(self.x(at), self.top + HEAD - 7, f"\u25be {words}", "small")
        yield from self._labels()
        yield from self._axis()
        yield from self._writes()
        yield from self._kills()
        yield from self._reads()

    def _labels(self):
        size = "small" if self.lane < 18 else ""
        for number, name in enumerate(self.picture["lanes"]):
            yield text(LABELS - 10, self.y(number) + self.lane * 0.5 + 4, name, size, "end")
        yield text(LABELS - 10, self.reader + READER - 8, "reader", "", "end")
        stripes = "".join(_box(LABELS, self.y(number), PLOT, self.lane)
                          for number in range(0, len(self.picture["lanes"]), 2))
        yield f'<path class="stripe" d="{stripes}"/>'

    def _axis(self):
        y = self.reader + READER
        yield f'<path class="axis" d="M{LABELS} {y}H{WIDTH}"/>'
        span = self.picture["span"] * 1000
        step = next(step for step in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10 ** 6)
                    if span / step <= 9)
        for tick in range(0, int(span) + 1, step):
            x = self.x(tick / 1000)
            words = f"{tick} ms" if x < WIDTH - 40 else ""
            yield f'<path class="axis" d="M{_number(x)} {y}v4"/>'
            yield text(x, y + 17, words, "faint small", "start" if tick == 0 else "middle")
        if self.picture["breaks"]:
            cuts = "".join(f"M{_number(self.x(at))} {self.top + HEAD}V{y}"
                           for at in self.picture["breaks"])
            yield f'<path class="break" d="{cuts}"/>'

    def _writes(self):
        boxes = collections.defaultdict(str)
        margin = 2 if self.lane < 18 else 4
        for lane, begin, end, outcome in self.picture["writes"]:
            width = max((end - begin) * self.scale - 0.5, 1)
            boxes[outcome] += _box(self.x(begin), self.y(lane) + margin, width,
                                   self.lane - 2 * margin)
        for outcome in OUTCOMES:
            if boxes[outcome]:
                yield f'<path class="write {outcome}" d="{boxes[outcome]}"/>'

    def _kills(self):
        lines, crosses = "", ""
        for lane, at in self.picture["kills"]:
            x, y, arm = self.x(at), self.y(lane) + self.lane / 2, min(5, self.lane / 2 - 1)
            lines += f"M{_number(x)} {_number(y)}V{self.reader + READER}"
            crosses += (f"M{_number(x - arm)} {_number(y - arm)}l{_number(2 * arm)} "
                        f"{_number(2 * arm)}m0 -{_number(2 * arm)}l-{_number(2 * arm)} "
                        f"{_number(2 * arm)}")
        if crosses:
            yield f'<path class="fall" d="{lines}"/><path class="cross" d="{crosses}"/>'

    def _reads(self):
        worst = {}
        for at, saw in self.picture["reads"]:
            place = int(at * self.scale / BIN)
            worst[place] = max(worst.get(place, "whole"), saw, key=VERDICTS.index)
        ticks = collections.defaultdict(str)
        for place, saw in sorted(worst.items()):
            ticks[saw] += _tick(saw, LABELS + place * BIN, self.reader + READER)
        for saw, boxes in ticks.items():
            yield f'<path class="saw {_word(saw)}" d="{boxes}"/>'


def timeline(report):
    """Writes, kills and what a reader saw: before above after."""
    top, parts, said = 0, [], []
    for side, result in report.sides.items():
        panel = Panel(side, result.picture, top)
        parts.extend(panel.parts())
        said.append(f"{side.capitalize()}: {panel.summary()}.")
        top = panel.bottom + GAP
    return svg(f"time-{report.letter}", f"{report.title}: writes, kills and what a reader saw",
               " ".join(said), top - GAP, parts)


def _runs(states):
    """(state, first, how many) of each row of equal ones."""
    place = 0
    for state, run in itertools.groupby(states):
        length = len(list(run))
        yield state, place, length
        place += length


def _strip(states, y, height):
    scale = PLOT / len(states)
    for state, place, length in _runs(states):
        x, width = LABELS + place * scale, length * scale
        yield (f'<path class="{_word(state)}" d="{_box(x, y, max(width - 0.6, 0.6), height)}">'
               f"<title>{escape(state)}: calls {place + 1} to {place + length}</title></path>")
        if width > 7 * len(state) + 6:
            yield text(x + width / 2, y + height / 2 + 4, state, f"on on-{_word(state)} small",
                       "middle")


def _rows(kill_map):
    """(label, states, height) of what is shown of a sweep over the calls of one write."""
    files, columns = kill_map["files"], kill_map["columns"]
    if len(files) > 1:
        for number, name in enumerate(files):
            yield name, [column[number] for column in columns], 15
        yield "load() finds", [column[-1] for column in columns], 20
    else:
        yield files[0], [column[0] if column[-1] == "whole" else column[-1]
                         for column in columns], 20


def kill_map(report):
    """What a kill before each system call of a write leaves: before above after."""
    y, parts, said = 0, [], []
    for side, result in report.sides.items():
        kills = sum(len(one["columns"]) for one in result.maps)
        lost = sum(column[-1] != "whole" for one in result.maps for column in one["columns"])
        parts += [text(0, y + 14, side, "side"),
                  text(LABELS, y + 14, f"{kills} kills, {lost} lost", "faint")]
        said.append(f"{side.capitalize()}: {kills} kills, after {lost} of which something is lost.")
        y += HEAD - 4
        for one in result.maps:
            for label, states, height in _rows(one):
                parts.append(text(LABELS - 10, y + height / 2 + 4, label, "small", "end"))
                parts.extend(_strip(states, y, height))
                y += height + 2
            parts.append("")
        y += GAP
    return svg(f"map-{report.letter}", f"{report.title}: killed at each system call",
               " ".join(said), y - GAP, parts)
