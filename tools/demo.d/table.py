"""The table: what was lost before, and what after."""

WHAT, NUMBER = 51, 13


def _cell(row, terminal, bad):
    if row is None:
        return f"{'not tried':>{NUMBER}}"
    text = f"{row['lost']} of {row['of']}".rjust(NUMBER)
    return terminal.paint(text, bad if row["lost"] else "good")


def lines(reports, terminal):
    rule = "-" * (3 + WHAT + 2 * NUMBER)
    yield ""
    yield terminal.paint(f"{'':<{3 + WHAT}}{'lost before':>{NUMBER}}{'lost after':>{NUMBER}}",
                         "strong")
    for report in reports:
        yield terminal.paint(rule, "faint")
        yield terminal.paint(f"{report.letter}  {report.title}", "strong")
        for what, before, after in report.rows():
            yield (f"   {what:<{WHAT}}{_cell(before, terminal, 'warn')}"
                   f"{_cell(after, terminal, 'bad')}")
    yield terminal.paint(rule, "faint")
    yield ""
