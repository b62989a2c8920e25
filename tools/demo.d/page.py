"""The same as one page: the table, and pictures of each report. It needs no other file."""

import datetime
import os
import platform
from html import escape
from pathlib import Path

import picture
from terminal import detailed

STYLE = Path(__file__).with_name("page.css")
KEY = '<svg class="key" viewBox="0 0 22 16" aria-hidden="true"><path class="{}" d="{}"/></svg>'
BOX, LOW = "M2 2h18v12h-18z", "M2 10h18v5h-18z"
SPLIT, CROSS = "M2 1h18v6h-18zM2 9h18v6h-18z", "M5 2l12 12m0 -12l-12 12"
STRIPES = """<svg width="0" height="0" aria-hidden="true" class="defs"><defs>
<pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse"
 patternTransform="rotate(45)"><path class="torn" d="M0 0h5v5h-5z"/>
<path class="between" d="M0 0h1.4v5h-1.4z"/></pattern></defs></svg>"""
TIME_KEYS = (("kept", BOX, "a write that is there"),
             ("lost", BOX, "striped: acknowledged and gone, or the old one destroyed"),
             ("killed", BOX, "killed on the way"), ("failed", BOX, "told that it failed"),
             ("cross", CROSS, "kill -9"), ("whole", LOW, "low: a reader saw it whole"),
             ("torn", BOX, "high: torn"), ("saw empty", BOX, "high and hollow: empty"),
             ("mixed", SPLIT, "high and split: of two versions"))
TIME_CAPTION = ("Real processes, on one clock. Each side has a scale of its own; at a dashed line "
                "idle time is left out.")
MAP_KEYS = (("old", BOX, "as before the write"), ("new", BOX, "the new version"),
            ("torn", BOX, "torn"), ("empty", BOX, "empty"), ("mixed", BOX, "of two versions"))

MAP_CAPTION = ("From left to right the system calls of one write. In each column the process was "
               "killed instead of making that call; shown is what was on the disk then, and what "
               "the program read.")


def _keys(keys):
    return '<ul class="keys">' + "".join(
        f"<li>{KEY.format(kind, shape)} {escape(words)}</li>" for kind, shape, words in keys
    ) + "</ul>"


def _figure(drawing, label, caption, keys):
    return (f'<figure><div class="scroll" tabindex="0" role="group" aria-label="{escape(label)}">\n'
            f"{drawing}\n</div><figcaption>{escape(caption)}{_keys(keys)}</figcaption></figure>")


def _cell(row):
    if row is None:
        return "<td>not tried</td>"
    none = "" if row["lost"] else ' class="none"'
    detail = f'<span class="detail">{escape(detailed(row))}</span>' if row["lost"] else ""
    return f'<td><b{none}>{row["lost"]}</b> of {row["of"]}{detail}</td>'


def _table(reports):
    yield ('<table><caption>What was lost</caption><thead><tr><th scope="col">what was done</th>'
           '<th scope="col">lost before</th><th scope="col">lost after</th></tr></thead>')
    for report in reports:
        yield (f'<tbody><tr><th class="group" colspan="3" scope="rowgroup">{report.letter} · '
               f"{escape(report.title)}</th></tr>")
        for what, before, after in report.rows():
            yield (f'<tr><th scope="row">{escape(what)}</th>{_cell(before)}{_cell(after)}</tr>')
        yield "</tbody>"
    yield "</table>"


def _section(report):
    yield (f'<section id="report-{report.letter}"><h2><span class="letter">{report.letter}</span>'
           f"{escape(report.title)}</h2><p>{escape(report.story)}</p>")
    yield "<h3>What happened when</h3>"
    yield _figure(picture.timeline(report), f"{report.letter}: timeline, can be scrolled",
                  TIME_CAPTION, TIME_KEYS)
    if all(result.maps for result in report.sides.values()):
        yield "<h3>What a kill leaves, wherever it comes</h3>"
        yield _figure(picture.kill_map(report), f"{report.letter}: kills, can be scrolled",
                      f"{MAP_CAPTION} {report.remark}", MAP_KEYS)
    for side, result in report.sides.items():
        for note in result.notes:
            yield f'<p class="faint">{escape(side)}: {escape(note)}.</p>'
    yield "</section>"


def _verdict(reports):
    broken = [report.letter for report in reports if report.sides["after"].lost]
    if broken:
        return f'<p class="verdict broken">untorn lost something in {", ".join(broken)}.</p>'
    losing = sum(report.sides["before"].lost > 0 for report in reports)
    return (f'<p class="verdict fine">{losing} of {len(reports)} programs lost data before. With '
            "untorn nothing was lost.</p>")


def document(reports, seconds):
    now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M")
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<link rel="icon" href="data:,"><title>untorn: what is lost, before and after</title>',
        f"<style>\n{STYLE.read_text(encoding='utf-8')}</style></head><body>{STRIPES}<main>",
        "<h1>Four programs that lost what they saved, before and after</h1>",
        _verdict(reports),
        "<p>Each program was run as it was reported and then on untorn, by the same driver: killed "
        "at system calls of a save, killed at random moments, raced by many processes, with "
        "a full disk, and met with a torn file. Everything below was counted on the disk in one "
        f"run of <code>make demo</code> that took {seconds:.0f} seconds.</p>",
        *_table(reports),
        *(part for report in reports for part in _section(report)),
        f"</main><footer><p>Made {now} on {escape(platform.system())} "
        f"{escape(platform.release())}, {os.cpu_count()} processors. No power was cut here: that "
        "is the work of <code>make check</code>. To see it yourself: "
        "<code>make demo HTML=out.html</code></p></footer></body></html>",
    ]
    return "\n".join(parts) + "\n"
