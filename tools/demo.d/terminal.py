"""Where people see it: a line that moves on a terminal, plain lines elsewhere."""

import os
import shutil

COLOURS = {"good": "32;1", "bad": "31;1", "warn": "31", "strong": "1", "faint": "2"}


def detailed(row):
    """What became of what was lost."""
    if len(row["detail"]) == 1:
        return next(iter(row["detail"]))
    return ", ".join(f"{count} {name}" for name, count in
                     sorted(row["detail"].items(), key=lambda item: -item[1]))


def counted(row):
    """What came of a trial, in words."""
    if row["lost"]:
        return f"{row['lost']} of {row['of']} lost ({detailed(row)})"
    return f"none of {row['of']} lost"


class Terminal:
    def __init__(self, file):
        self._file, self._moving = file, False
        self.live = file.isatty() and os.environ.get("TERM") != "dumb"
        self.coloured = self.live and not os.environ.get("NO_COLOR")

    def paint(self, text, colour):
        return f"\033[{COLOURS[colour]}m{text}\033[0m" if self.coloured and colour else text

    def clear(self):
        """Takes the moving line away."""
        if self._moving:
            self._file.write("\r\033[K")
            self._file.flush()
            self._moving = False

    def say(self, text, colour=None):
        self.clear()
        print(self.paint(text, colour), file=self._file, flush=True)

    def show(self, lines):
        self.clear()
        for line in lines:
            print(line, file=self._file, flush=True)

    def title(self, report):
        self.say(f"{report.letter}  {report.title}", "strong")

    def hear(self, side, message):
        """Shows a message of a process that tries a report out."""
        if "progress" in message:
            self._progress(side, message["progress"])
        elif "row" in message:
            row = message["row"]
            colour = ("bad" if side == "after" else "warn") if row["lost"] else "good"
            self.clear()
            print(f"   {side:<7}{row['what']:<50}", self.paint(counted(row), colour),
                  file=self._file, flush=True)
        elif "note" in message:
            self.say(f"   {side:<7}{message['note']}", "faint")

    def _progress(self, side, progress):
        if not self.live:
            return
        counts = ", ".join(f"{count} {name}" for name, count in progress["counts"].items())
        width = shutil.get_terminal_size().columns - 1
        bar = "#" * (20 * progress["done"] // max(1, progress["of"]))
        text = (f"   {side:<7}[{bar:<20}] {progress['stage']} {progress['done']} of "
                f"{progress['of']}: {counts}")
        self._file.write("\r\033[K" + text[:width])
        self._file.flush()
        self._moving = True
