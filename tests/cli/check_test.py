#!/usr/bin/python3
"""untorn check on trees: all of it is looked at, nothing stops it, nothing is altered."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, expect, main, make, prints, untorn  # noqa: E402


def tree(files):
    for name, content in files.items():
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        make(name, content)


def lines(done):
    return [json.loads(line) for line in done.out.splitlines()]


def verdicts(done):
    return {line["path"]: line["verdict"] for line in lines(done) if "verdict" in line}


@case
def every_document_of_a_tree_has_its_verdict():
    tree({"a.json": "{}", "b/c.toml": "a = 1\n", "b/d/e.json": "{", "b/d/f.txt": "{",
          "b/.vscode/settings.json": "{} // c", "b/empty.json": "", "x.jsonl": "{"})
    done = expect(4, "check", "--report", ".")
    assert verdicts(done) == {"a.json": "whole", "b/c.toml": "whole", "b/d/e.json": "truncated",
                              "b/.vscode/settings.json": "whole", "b/empty.json": "empty"}, done
    assert lines(done)[-1] == {"verb": "check", "documents": 5, "whole": 3, "damaged": 2,
                               "missing": 0, "left": 0, "repaired": 0, "failed": 0, "exit": 4}
    assert set(verdicts(expect(4, "check", "--report", "b/"))) == {
        "b/c.toml", "b/d/e.json", "b/.vscode/settings.json", "b/empty.json"}
    assert "b/d/e.json" in verdicts(expect(4, "check", "--report", "b/d", "a.json"))
    full = os.path.abspath("b")
    assert f"{full}/c.toml" in verdicts(expect(4, "check", "--report", full))


@case
def only_what_is_wrong_is_mentioned_unless_all_is_wanted():
    tree({"d/b.json": "1", "d/a.json": "2", "d/c/x.toml": "= 1\n"})
    done = expect(4, "check", "d")
    assert done.out == "", done
    assert done.err.splitlines()[0].startswith("untorn: d/c/x.toml: syntax: not TOML at line 1,")
    done = expect(4, "check", "-v", "d")
    assert done.out == "d/a.json: whole\nd/b.json: whole\n", done
    os.unlink("d/c/x.toml")
    prints("", "check", "d")
    prints("d/a.json: whole\nd/b.json: whole\n", "check", "--verbose", "d")


@case
def without_a_path_only_this_directory_is_looked_at_and_no_document():
    tree({"a.json": "{", "b/log.jsonl": '{"n":'})
    expect(0, "append", "b/log.jsonl", stdin="1\n")
    prints("", "check")


@case
def leftovers_are_found_in_every_directory():
    tree({"one/log.jsonl": '{"n":', "one/two/three/log.jsonl": '{"n":', "one/a.json": "["})
    for name in ("one/log.jsonl", "one/two/three/log.jsonl"):
        expect(0, "append", name, stdin="1\n")
    expect(0, "write", "one/a.json", stdin="1\n")
    done = expect(4, "check", "--report", "one")
    found = {(line["file"], line["found"]) for line in lines(done) if "found" in line}
    assert found == {("one/log.jsonl", "tail"), ("one/two/three/log.jsonl", "tail"),
                     ("one/a.json", "damaged")}, done
    for line in lines(done):
        assert "kept" not in line or os.path.isfile(line["kept"]), line
    assert lines(done)[-1]["left"] == 3
    done = expect(0, "check", "--repair", "--abandon", "--report", "one")
    assert lines(done)[-1]["repaired"] == 3 and lines(done)[-1]["left"] == 0, done
    prints("", "check", "one")


@case
def our_own_folders_and_links_are_not_entered():
    tree({"d/a.json": "1", "other/b.json": "{"})
    expect(0, "write", "d/a.json", stdin="2\n")
    make("d/.untorn/planted.json", "{")
    tree({"d/.untorn-1000/planted.json": "{", "d/.untorn-x/seen.json": "{}"})
    os.symlink("../other", "d/link")
    os.symlink("../other/b.json", "d/link.json")
    os.symlink("..", "d/up")
    done = expect(0, "check", "--report", "d")
    assert verdicts(done) == {"d/a.json": "whole", "d/.untorn-x/seen.json": "whole"}, done
    done = expect(4, "check", "--report", "d/link")
    assert verdicts(done) == {"d/link/b.json": "truncated"}, done


@case
def special_files_are_passed_over():
    os.mkdir("d")
    os.mkfifo("d/pipe.json")
    os.mkdir("d/folder.json")
    make("d/folder.json/a.json", "1")
    done = expect(0, "check", "--report", "d")
    assert verdicts(done) == {"d/folder.json/a.json": "whole"}, done


@case
def one_bad_entry_does_not_stop_the_walk():
    tree({f"d/{i:02}/f.json": "1" for i in range(20)})
    make("d/07/f.json", b"\0" * 100)
    os.chmod("d/09", 0)
    os.chmod("d/11/f.json", 0)
    words = ["untorn", "check", "--report", "d"]
    if os.geteuid() == 0:
        words = ["setpriv", "--reuid", "12345", "--clear-groups", *words]
        os.chmod(".", 0o755)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found[-1]["whole"] == 17 and found[-1]["damaged"] == 1, found[-1]
    assert found[-1]["failed"] >= 2, found[-1]
    assert "d/09: " in done.stderr and "d/11/f.json: permission denied" in done.stderr, done
    os.chmod("d/09", 0o700)


@case
def a_directory_of_very_many_documents_is_sorted_in_parts():
    os.mkdir("d")
    for i in range(5000):
        make(f"d/{i:04}.json", "1")
    done = expect(0, "check", "-v", "d")
    assert len(done.out.splitlines()) == 5000 == len(set(done.out.splitlines())), len(done.out)
    assert done.out.splitlines()[:4096] == sorted(done.out.splitlines()[:4096])


@case
def a_tree_deeper_than_descriptors_reach_is_walked():
    path = "d"
    for _ in range(300):
        path += "/s"
    os.makedirs(path)
    make(path + "/f.json", "{")
    done = subprocess.run(["sh", "-c", "ulimit -n 24; untorn check --report d"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 4 and f"{path}/f.json" in done.stdout, done


@case
def a_path_that_is_too_long_is_told_and_passed_over():
    os.mkdir("d")
    make("d/a.json", "{")
    start = os.open("d", os.O_RDONLY)
    here = os.dup(start)
    for _ in range(20):
        os.mkdir("n" * 250, dir_fd=here)
        below = os.open("n" * 250, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    done = untorn("check", "--report", "d")
    assert done.status == 1 and "too long" in done.err, done
    assert verdicts(done) == {"d/a.json": "truncated"}, done
    subprocess.run(["rm", "-rf", "d"], check=True)


@case
def checking_a_tree_alters_and_creates_nothing():
    tree({"d/a.json": "{", "d/b/c.toml": "a = 1\n"})
    before = [(root, sorted(files)) for root, _, files in os.walk(".")]
    stats = {name: os.stat(name) for name in ("d", "d/b", "d/a.json", "d/b/c.toml")}
    expect(4, "check", "--repair", "d")
    assert before == [(root, sorted(files)) for root, _, files in os.walk(".")]
    for name, seen in stats.items():
        now = os.stat(name)
        assert (now.st_ino, now.st_mtime_ns) == (seen.st_ino, seen.st_mtime_ns), name


def on_terminal(words, **env):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(env)
        os.execvp(words[0], words)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.waitpid(pid, 0)
    return shown.decode()


@case
def on_a_terminal_it_sums_up():
    tree({"d/a.json": "{", "d/b.json": "1"})
    shown = on_terminal(["untorn", "check", "d"], TERM="xterm")
    assert "untorn: 2 documents: 1 whole, 1 damaged, 0 missing; 0 left, 0 repaired" in shown, shown
    assert "sums" not in expect(4, "check", "d").err
    assert "documents:" not in expect(4, "check", "d").err


@case
def progress_appears_on_a_terminal_when_it_takes_long_and_is_erased():
    os.mkdir("d")
    make("d/large.json", "[" + "1," * 12_000_000 + "1]")
    for i in range(40):
        os.link("d/large.json", f"d/large{i}.json")
    shown = on_terminal(["untorn", "check", "d"], TERM="xterm")
    assert "files: d/large" in shown and "\x1b[K" in shown, shown
    last = shown.rindex("\x1b[K")
    assert "files:" not in shown[last:], shown
    assert "\x1b[3" not in shown
    assert "files: d/" not in on_terminal(["untorn", "check", "d"], TERM="dumb")
    done = expect(0, "check", "d")
    assert done.err == "", done


if __name__ == "__main__":
    main()
