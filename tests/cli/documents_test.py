#!/usr/bin/python3
# run: budget 20
"""What is written about the command agrees with it, and the examples run."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(os.environ["TESTS"]).parent
MAN = ROOT / "docs/man"
HEADERS = ROOT / "include/untorn"
BUILD = Path(os.environ["BUILD"])
COLUMNS, LINES = 80, 36


class Skip(Exception):
    pass


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          **more)


def help_of(*words):
    return run("untorn", *words, "--help", stdin=subprocess.DEVNULL).stdout


def verbs():
    return re.findall(r"^(?:[A-Z]\w+ +| {9})(\w+) +\S", help_of(), re.M)


def section(text, heading):
    """The lines of `heading:` in a help text, up to the next empty line."""
    return re.search(rf"^{heading}[^\n]*:\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)[1]


def help_options(verb):
    return set(re.findall(r"^  (?:-\w, )?--([\w-]+)", section(help_of(verb), "Options"), re.M))


def man_options(text):
    """Of the list in DESCRIPTION or OPTIONS; letters have their own words."""
    found = set()
    for line in re.findall(r"^\.It (Fl .*)$", text, re.M):
        found |= set(re.findall(r"\bFl Fl ([\w-]+)|\bFl -([\w-]+)", line) and
                     [a or b for a, b in re.findall(r"\bFl Fl ([\w-]+)|\bFl -([\w-]+)", line)])
    return found


def man_examples(text):
    """The marked blocks of EXAMPLES, as they are displayed."""
    examples = text.split(".Sh EXAMPLES", 1)[-1].split("\n.Sh ", 1)[0]
    blocks = re.findall(r'^(\.\\" runs\n)?\.Bd -literal[^\n]*\n(.*?)^\.Ed$', examples, re.M | re.S)
    return [(bool(mark), body.replace("\\e", "\\").replace("\\&", "")) for mark, body in blocks]


def page(name):
    return (MAN / name).read_text()


def make_files(directory):
    """What the examples work on."""
    files = {"state.json": '{"n":1}\n', "a.json": '{"n":1}\n', "b.json": "2\n",
             "app.conf": "level=debug\n", "app.new": "level=info\n", "token.new": "secret\n",
             "users.new": "{}\n", "index.new": "{}\n", "old.json": "{}\n",
             "hosts.txt": "b.example\na.example\nb.example\n", "nightly-job": "#!/bin/sh\n",
             "app.toml": '[server]\nport = 80 # for now\nhosts = ["a.example", "b.example"]\n'
                         'tags = []\ndebug = true\n\n[tool]\n"a.b" = 1\n',
             "change.json": '[{"op": "replace", "path": "/n", "value": 2}]\n'}
    for name, content in files.items():
        (directory / name).write_text(content)
    (directory / "nightly-job").chmod(0o755)
    subprocess.run([BUILD / "untorn", "update", "app.conf", "--", "sed", "s/debug/warn/"],
                   cwd=directory, check=True)


def run_example(text, command=("bash", "-euo", "pipefail")):
    with tempfile.TemporaryDirectory() as directory:
        make_files(Path(directory))
        own = {"HOME": directory, "XDG_CONFIG_HOME": ""}
        if "EDITOR" not in text:
            own["VISUAL"] = "true"
        done = run(*command, "-c", text, cwd=directory, stdin=subprocess.DEVNULL, timeout=60,
                   env={**os.environ, **own})
        return [] if done.returncode == 0 else [f"status {done.returncode}: {text}{done.stderr}"]


def run_program(text):
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        make_files(place)
        (place / "example.c").write_text(text)
        made = run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wpedantic", "-o", "example",
                   f"-I{ROOT}/include", "example.c", f"-L{BUILD}", "-luntorn",
                   f"-Wl,-rpath,{BUILD}", cwd=place)
        if made.returncode != 0:
            return [made.stderr]
        done = run(place / "example", cwd=place, stdin=subprocess.DEVNULL, timeout=60)
        return [] if done.returncode == 0 else [f"status {done.returncode}: {text}{done.stderr}"]


def differ(what, one, other):
    return [f"{what}: {word}" for word in sorted(one ^ other)]


# ---- the checks: each returns what is wrong


def help_fits():
    wrong = [f"{len(line)} columns: {line}" for verb in [None, *verbs()]
             for line in help_of(*filter(None, [verb])).splitlines() if len(line) > COLUMNS]
    count = help_of().count("\n")
    return wrong + ([f"untorn --help has {count} lines"] if count > LINES else [])


def help_is_the_same():
    """untorn VERB --help, untorn help VERB and untorn VERB -h."""
    wrong = [verb for verb in verbs() if not (
        help_of(verb) == run("untorn", "help", verb).stdout == run("untorn", verb, "-h").stdout)]
    return wrong + ([] if help_of() == run("untorn", "help").stdout else ["untorn help"])


def help_tells_what_is_taken():
    known = set().union(*(help_options(verb) for verb in verbs()))
    wrong = []
    for verb in verbs():
        for option in known - {"help"}:
            said = run("untorn", verb, f"--{option}", stdin=subprocess.DEVNULL).stderr
            if ("is not an option of this verb" in said) == (option in help_options(verb)):
                wrong.append(f"{verb} --{option}: {said}")
    return wrong


def man_has_the_options():
    return [line for verb in verbs()
            for line in differ(f"untorn-{verb}.1", man_options(page(f"untorn-{verb}.1")),
                               help_options(verb))]


def man_explains_the_common_options():
    """untorn.1 has what two verbs or more take."""
    every = [option for verb in verbs() for option in help_options(verb)]
    common = {option for option in every if every.count(option) > 1} | {"version"}
    # These two belong to write and to write and update alone, and still say what all would say.
    return differ("untorn.1", man_options(page("untorn.1")), common | {"exclusive"})


def man_has_the_exit_status():
    wrong = []
    for verb in verbs():
        told = set(re.findall(r"\b\d+\b", " ".join(re.findall(
            r"^  ((?:\d+(?:, )?)+)  ", section(help_of(verb), "Exit status"), re.M))))
        listed = set(re.findall(r"^\.It (\d+)$",
                                page(f"untorn-{verb}.1").split(".Sh EXIT STATUS")[1], re.M))
        wrong += [f"untorn-{verb}.1: {code}" for code in sorted(told - listed)]
    return wrong


def man_names_the_verbs():
    return differ("untorn.1", set(re.findall(r"^\.It Xr untorn-(\w+) 1$", page("untorn.1"), re.M)),
                  set(verbs()))


def references_lead_somewhere():
    wrong = []
    for file in sorted(MAN.glob("*.[13]")):
        for name, number in re.findall(r"\bXr (untorn[\w-]*) (\d)", file.read_text()):
            if not (MAN / f"{name}.{number}").exists():
                wrong.append(f"{file.name}: {name}({number})")
    return wrong


def every_header_has_a_page():
    return [header.name for header in HEADERS.glob("*.h") if header.stem != "visibility"
            and not (MAN / f"untorn_{header.stem}.3").exists()]


def every_function_has_a_page():
    documented = set()
    for file in MAN.glob("*.3"):
        names = file.read_text().split(".Sh NAME")[1].split(".Sh ")[0]
        documented |= set(re.findall(r"^\.Nm (\w+)", names, re.M))
    declared = {name for header in HEADERS.glob("*.h") for name in re.findall(
        r"^UNTORN_API [^;(]*?\b(untorn_\w+)\(", header.read_text(), re.M)}
    return sorted(declared - documented)


def man_lists_the_statuses():
    listed = set(re.findall(r"^\.It Li (\d) Dv (UNTORN_\w+)$", page("untorn_status.3"), re.M))
    declared = {(code, f"UNTORN_{name}") for name, code in re.findall(
        r"X\((\w+), \d+, (\d), ", (HEADERS / "status.h").read_text())}
    return [str(row) for row in listed ^ declared]


def man_lists_the_flags():
    listed = set(re.findall(r"^\.It Cm ([\w-]+)$", page("untorn_error.3"), re.M))
    declared = set(re.findall(r'X\(\w+, \d+, "([\w-]+)"', (HEADERS / "error.h").read_text()))
    return differ("untorn_error.3", listed, declared)


def lint(file):
    if not shutil.which("mandoc"):
        raise Skip("mandoc is not installed")
    return run("mandoc", "-T", "lint", "-W", "warning", file).stdout.splitlines()


def man_is_lint_clean():
    return [line for file in sorted(MAN.glob("*.[13]")) for line in lint(file)]


def examples_are_marked():
    wrong = []
    for file in sorted(MAN.glob("*.[13]")):
        found = man_examples(file.read_text())
        if not found or not all(mark for mark, _ in found):
            wrong.append(f"{file.name}: an example that no test runs, or none at all")
    return wrong


def man_examples_run():
    return [line for file in sorted(MAN.glob("*.1"))
            for _, text in man_examples(file.read_text()) for line in run_example(text)]


def programs_run():
    return [line for file in sorted(MAN.glob("*.3"))
            for _, text in man_examples(file.read_text()) for line in run_program(text)]


def help_examples_run():
    return [line for verb in verbs() for text in section(help_of(verb), "Examples").splitlines()
            for line in run_example(text)]


# ---- the checkers themselves, on something wrong


def planted(text):
    file = Path("planted.1")
    file.write_text(text)
    return lint(file)


def checkers_catch():
    """Each of these must be found wrong."""
    good = page("untorn-write.1")
    missed = {
        "an option that the page lacks": differ(
            "", man_options(good.replace(".It Fl Fl mode Ar octal\n", "")), help_options("write")),
        "an option that only the page has": differ(
            "", man_options(good + ".It Fl Fl frob\n"), help_options("write")),
        "a macro that does not exist": planted(good.replace(".Sh SYNOPSIS", ".Shh SYNOPSIS")),
        "an example that fails": run_example("untorn read no-such-file"),
        "a failure in a pipe": run_example("untorn read no-such-file | cat"),
        "a program that does not compile": run_program("int main(void) { return x; }"),
        "a program that fails": run_program("int main(void) { return 1; }"),
        "an example without its mark": [
            text for mark, text in man_examples(good.replace('.\\" runs\n', "")) if not mark],
    }
    return [what for what, found in missed.items() if not found]


CHECKS = {
    "the help fits on a screen": help_fits,
    "the help is the same however it is asked for": help_is_the_same,
    "a verb takes the options that its help names and no others": help_tells_what_is_taken,
    "the man page of a verb has the options of its help": man_has_the_options,
    "the main man page explains the options that verbs share": man_explains_the_common_options,
    "the man page of a verb has the exit status of its help": man_has_the_exit_status,
    "the main man page names every verb": man_names_the_verbs,
    "references between man pages lead somewhere": references_lead_somewhere,
    "every public header has a man page": every_header_has_a_page,
    "every public function has a man page": every_function_has_a_page,
    "the man page lists every status": man_lists_the_statuses,
    "the man page lists every flag": man_lists_the_flags,
    "man pages are clean under mandoc's lint": man_is_lint_clean,
    "every example in a man page is marked as one that runs": examples_are_marked,
    "the examples in man pages of section 1 run": man_examples_run,
    "the programs in man pages of section 3 compile and run": programs_run,
    "the examples in the help of verbs run": help_examples_run,
    "these checks catch what they are for": checkers_catch,
}


def main():
    passed = failed = skipped = 0
    for sentence, find in CHECKS.items():
        try:
            wrong = find()
        except Skip as reason:
            skipped += 1
            print(f"skip {sentence}: {reason}")
            continue
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print("FAIL" if wrong else "ok ", sentence)
        for line in wrong:
            print(f"     {line}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
