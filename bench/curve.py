"""Draws updates per second over the number of writers, as an SVG without any library.

Both axes are logarithmic. Every line has its name at its end. The drawing brings its own paper,
light or dark as the reader's screen is.
"""

import math
from html import escape

WIDTH, HEIGHT = 870, 480
LEFT, RIGHT, TOP, BOTTOM = 98, 650, 84, 410
MARGIN = 1.5  # above the highest and below the lowest, as a factor
LABEL_GAP = 19  # between the names of two lines that end close to each other
COLOURS = {  # on light paper, on dark
    "untorn": ("#0969da", "#58a6ff"),
    "lmdb": ("#8250df", "#bc8cff"),
    "recipe": ("#1a7f37", "#3fb950"),
    "sqlite": ("#bc4c00", "#f0883e"),
    "python": ("#57606a", "#9ea7b3"),
}
NAMES = {"untorn": "untorn", "lmdb": "LMDB", "recipe": "lock, rewrite, fsync", "sqlite": "SQLite",
         "python": "Python: filelock, tomlkit"}


def style():
    common = ("text { font: 14px system-ui, sans-serif }"
              " .title { font-size: 18px; font-weight: 600 }"
              " .name { font-weight: 600; paint-order: stroke; stroke-width: 5 }"
              " .line { fill: none; stroke-width: 2 } .untorn.line { stroke-width: 3.5 }")
    sides = []
    for side, (paper, ink, faint, grid) in enumerate((
            ("#ffffff", "#1f2328", "#57606a", "#d8dee4"),
            ("#0d1117", "#e6edf3", "#9ea7b3", "#30363d"))):
        rules = [f".paper {{ fill: {paper} }} text {{ fill: {faint} }} .title {{ fill: {ink} }}"
                 f" .grid {{ stroke: {grid} }} .axis {{ stroke: {faint} }}"
                 f" .name {{ stroke: {paper} }}"]
        rules += [f".{scheme}.line {{ stroke: {colours[side]} }}"
                  f" .{scheme}.name, .{scheme}.dot {{ fill: {colours[side]} }}"
                  for scheme, colours in COLOURS.items()]
        sides.append("\n".join(rules))
    return f"{common}\n{sides[0]}\n@media (prefers-color-scheme: dark) {{\n{sides[1]}\n}}"


class Axes:
    """Where a point lies on the paper."""

    def __init__(self, points):
        self.counts = sorted({point["writers"] for point in points})
        rates = [point["rate"] for point in points]
        self.least, self.most = min(rates) / MARGIN, max(rates) * MARGIN

    def x(self, writers):
        span = math.log2(self.counts[-1] / self.counts[0]) or 1
        return LEFT + (RIGHT - LEFT) * math.log2(writers / self.counts[0]) / span

    def y(self, rate):
        return BOTTOM - (BOTTOM - TOP) * math.log(rate / self.least, self.most / self.least)

    def ticks(self):
        """Powers of ten; where that would be few, 2 and 5 times them, too."""
        steps = (1, 2, 5) if self.most / self.least < 150 else (1,)
        for power in range(math.floor(math.log10(self.least)), 12):
            for step in steps:
                if self.least <= step * 10 ** power <= self.most:
                    yield step * 10 ** power

    def draw(self):
        for rate in self.ticks():
            y = self.y(rate)
            yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>'
            yield f'<text x="{LEFT - 10}" y="{y + 5:.1f}" text-anchor="end">{rate:,}</text>'
        yield f'<line class="axis" x1="{LEFT}" y1="{BOTTOM}" x2="{RIGHT}" y2="{BOTTOM}"/>'
        for count in self.counts:
            yield (f'<text x="{self.x(count):.1f}" y="{BOTTOM + 24}" text-anchor="middle">'
                   f'{count}</text>')
        middle = (TOP + BOTTOM) / 2
        yield (f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{BOTTOM + 52}" text-anchor="middle">'
               'processes that update the file at the same time</text>')
        yield (f'<text transform="translate(22 {middle:.0f}) rotate(-90)" text-anchor="middle">'
               'updates per second, until all are done</text>')


def spread(wanted):
    """Heights for the names, in the order of the wanted ones, that keep LABEL_GAP."""
    placed = []
    for height in wanted:
        placed.append(max(height, placed[-1] + LABEL_GAP) if placed else height)
    return placed


def lines(points, axes):
    schemes = {}
    for point in sorted(points, key=lambda point: point["writers"]):
        schemes.setdefault(point["scheme"], []).append(point)
    for scheme, own in schemes.items():
        places = [f"{axes.x(point['writers']):.1f},{axes.y(point['rate']):.1f}" for point in own]
        yield f'<polyline class="{scheme} line" points="{" ".join(places)}"/>'
        for place in places:
            x, y = place.split(",")
            yield f'<circle class="{scheme} dot" cx="{x}" cy="{y}" r="3.5"/>'
    yield from names([own[-1] for own in schemes.values()], axes)


def names(ends, axes):
    """At the end of each line; those that end together share a column."""
    for writers in {point["writers"] for point in ends}:
        column = sorted((point for point in ends if point["writers"] == writers),
                        key=lambda point: axes.y(point["rate"]))
        heights = spread([axes.y(point["rate"]) + 5 for point in column])
        for point, height in zip(column, heights):
            name = NAMES.get(point["scheme"], point["scheme"])
            yield (f'<text class="{point["scheme"]} name" x="{axes.x(writers) + 10:.1f}"'
                   f' y="{height:.1f}">{escape(name)}</text>')


def draw(points, filesystem):
    """The whole drawing. `filesystem` is named in it."""
    points = [point for point in points if not point["commands"]]
    axes = Axes(points)
    title = "One 4 KB file: durable updates per second until all writers are done"
    about = f"{filesystem}; each process sets its own key equally often; none is lost"
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' width="{WIDTH}" height="{HEIGHT}">',
        f"<title>{escape(title)}: over the number of processes</title>",
        f"<style>\n{style()}\n</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
        f'<text class="title" x="24" y="36">{escape(title)}</text>',
        f'<text x="24" y="58">{escape(about)}</text>',
        *axes.draw(), *lines(points, axes), "</svg>", ""])
