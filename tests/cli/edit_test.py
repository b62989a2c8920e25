#!/usr/bin/python3
"""untorn edit: a person in an editor, played by scripts and by keys on a terminal."""

import json
import os
import pty
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, expect, file_is, make  # noqa: E402


def editor(*lines):
    """A shell script that is the editor; its last argument is the copy."""
    Path("editor").write_text("#!/bin/sh\nfor draft; do :; done\n" + "\n".join(lines) + "\n",
                              encoding="utf-8")
    os.chmod("editor", 0o755)
    return {"EDITOR": os.path.abspath("editor"), "VISUAL": ""}


def edit(status, name, lines, *words):
    done = expect(status, "edit", name, *words, env=editor(*lines))
    return done


def kept_draft(done):
    """The path that the message names; it must be there."""
    path = re.search(r"\(your draft is kept: (.*)\)$", done.err, re.M)
    assert path, done
    assert os.path.exists(path[1]), done
    return Path(path[1])


def drafts():
    return [*Path(".").glob(".untorn/draft-*")]


@case
def what_the_editor_makes_of_the_copy_is_saved():
    make("app.toml", "# c\na = 1\n")
    os.chmod("app.toml", 0o640)
    done = edit(0, "app.toml", ['sed -i s/1/2/ "$draft"'])
    assert done.out == done.err == "", done
    file_is("app.toml", "# c\na = 2\n")
    assert stat.S_IMODE(os.stat("app.toml").st_mode) == 0o640
    assert drafts() == [], drafts()


@case
def the_copy_has_the_name_of_the_file_and_is_private():
    make("tsconfig.json", "{} // c\n")
    edit(0, "tsconfig.json", ['echo "$draft" >../seen', 'stat -c "%a %A" "$draft" >modes',
                              'stat -c %a "$(dirname "$draft")" >>modes',
                              'echo "$draft" >name', 'echo "[]" >"$draft"'])
    name = Path("name").read_text(encoding="utf-8").strip()
    assert os.path.basename(name) == "tsconfig.json" and "/.untorn/draft-" in name, name
    assert Path("modes").read_text(encoding="utf-8").split()[::2] == ["600", "700"]
    os.unlink("../seen")


@case
def an_editor_that_replaces_the_copy_will_do():
    make("f.json", "1\n")
    edit(0, "f.json", ['cp "$draft" "$draft~"', 'echo 2 >"$draft.new"', 'mv "$draft.new" "$draft"'])
    file_is("f.json", "2\n")
    assert drafts() == [], drafts()


@case
def the_editor_may_have_arguments():
    make("f.txt", "one\n")
    expect(0, "edit", "f.txt", env={"EDITOR": "sed -i -e 's/one/two words/'", "VISUAL": ""})
    file_is("f.txt", "two words\n")
    expect(0, "edit", "f.txt", env={"EDITOR": "false", "VISUAL": "sed -i s/two/2/"})
    file_is("f.txt", "2 words\n")
    expect(0, "edit", "f.txt", env={"EDITOR": "sed -i s/2/3/", "VISUAL": "  "})
    file_is("f.txt", "3 words\n")


@case
def without_a_choice_it_is_vi_and_then_nano():
    os.mkdir("bin")
    tool = os.path.dirname(subprocess.run(["which", "untorn"], capture_output=True, text=True,
                                          check=True).stdout)
    env = {"VISUAL": "", "EDITOR": "", "PATH": f"{os.getcwd()}/bin:{tool}"}
    make("f.txt", "")
    done = expect(127, "edit", "f.txt", env=env)
    assert "no editor" in done.err and "EDITOR=" in done.err, done
    for name in ("nano", "vi"):
        make(f"bin/{name}", f"#!/bin/sh\necho {name} >\"$1\"\n")
        os.chmod(f"bin/{name}", 0o755)
        expect(0, "edit", "f.txt", env=env)
        file_is("f.txt", f"{name}\n")


@case
def an_editor_that_is_not_there_changes_nothing():
    make("f.txt", "one\n")
    done = expect(127, "edit", "f.txt", env={"EDITOR": "./no-such-editor", "VISUAL": ""})
    assert "no-such-editor" in done.err.splitlines()[-1] and drafts() == [], done
    make("no-right", "")
    expect(126, "edit", "f.txt", env={"EDITOR": "./no-right", "VISUAL": ""})
    done = expect(126, "edit", "f.txt", env={"EDITOR": "x" * 9000, "VISUAL": ""})
    assert "cannot be run: Argument list too long" in done.err, done
    expect(126, "edit", "f.txt", env={"EDITOR": "true " * 65, "VISUAL": ""})
    expect(127, "edit", "f.txt", env={"EDITOR": "'no such' editor", "VISUAL": ""})
    file_is("f.txt", "one\n")


@case
def what_is_unchanged_is_not_saved():
    make("f.json", '{"a": 1}')
    before = os.stat("f.json")
    done = edit(0, "f.json", ["true"])
    assert done.err == "untorn: f.json: unchanged; nothing is saved\n", done
    assert os.stat("f.json").st_ino == before.st_ino and drafts() == []
    report = json.loads(edit(0, "f.json", ["true"], "--report").out)
    assert report["flags"] == ["unchanged"] and "hash" not in report, report
    make("bad.json", "{")
    done = edit(0, "bad.json", ["true"])
    assert "truncated" in done.err and "unchanged" in done.err, done


@case
def a_new_file_begins_as_an_empty_document():
    edit(0, "new.json", ['cat "$draft" >begun', 'echo "[1]" >"$draft"'])
    file_is("begun", "{}\n")
    file_is("new.json", "[1]\n")
    edit(0, "new.txt", ['cp "$draft" begun', 'echo x >"$draft"'])
    file_is("begun", "")
    done = edit(0, "other.toml", ["true"])
    assert "unchanged" in done.err and not os.path.exists("other.toml"), done
    edit(0, "private.txt", ['echo x >"$draft"'], "--mode", "600")
    assert stat.S_IMODE(os.stat("private.txt").st_mode) == 0o600


@case
def a_directory_that_is_missing_is_told_before_the_editor_runs():
    done = edit(3, "no/such/f.txt", ["touch ran"])
    assert not os.path.exists("ran") and "no such" in done.err, done
    edit(0, "new/dir/f.txt", ['echo x >"$draft"'], "--parents")
    file_is("new/dir/f.txt", "x\n")
    os.mkdir("d")
    edit(4, "d", ["touch ran"])
    assert not os.path.exists("ran")


@case
def a_damaged_file_can_be_mended():
    make("f.toml", "a = = 1\n")
    done = edit(0, "f.toml", ['sed -i "s/= =/=/" "$draft"'])
    assert done.err.startswith("untorn: f.toml: syntax: not TOML at line 1"), done
    assert "note: the damaged content was kept aside" in done.err, done
    file_is("f.toml", "a = 1\n")


@case
def bad_syntax_is_not_saved_and_the_draft_is_kept():
    make("f.json", '{"a": 1}\n')
    done = edit(4, "f.json", ['echo "{" >"$draft"'])
    first = done.err.splitlines()[0]
    assert first.startswith("untorn: f.json: the draft is not saved: truncated: "), done
    file_is("f.json", '{"a": 1}\n')
    file_is(kept_draft(done), "{\n")
    done = edit(4, "f.json", ['echo "x" >"$draft"'], "--report")
    line = json.loads(done.out)
    assert line["status"] == "NOT_A_DOCUMENT" and line["exit"] == 4, line
    assert str(kept_draft(done)) in line["message"], line


@case
def it_can_be_forced_and_the_format_said():
    make("f.json", "{}\n")
    edit(0, "f.json", ['echo "{" >"$draft"'], "--force")
    file_is("f.json", "{\n")
    edit(0, "f.json", ['echo "[" >"$draft"'], "--format", "text")
    file_is("f.json", "[\n")
    edit(0, "f.json", ['echo "{} // c" >"$draft"'], "--format", "jsonc")
    file_is("f.json", "{} // c\n")
    edit(4, "conf", ['echo "= 1" >"$draft"'], "--format", "toml")


@case
def an_empty_draft_empties_nothing_unless_it_may():
    make("f.txt", "text\n")
    done = edit(1, "f.txt", [': >"$draft"'])
    assert "--allow-empty" in done.err and kept_draft(done), done
    file_is("f.txt", "text\n")
    edit(0, "f.txt", [': >"$draft"'], "--allow-empty")
    file_is("f.txt", "")


@case
def what_somebody_else_wrote_meanwhile_stays():
    make("f.json", "1\n")
    done = edit(5, "f.json", ['echo 2 >"$draft"', "echo 3 | untorn write f.json"])
    assert "somebody else changed it meanwhile" in done.err, done
    file_is("f.json", "3\n")
    file_is(kept_draft(done), "2\n")
    done = edit(5, "new.json", ['echo 2 >"$draft"', "echo 3 >new.json"])
    file_is("new.json", "3\n")
    file_is(kept_draft(done), "2\n")
    done = edit(5, "f.json", ['echo 2 >"$draft"', "rm f.json"])
    assert not os.path.exists("f.json") and kept_draft(done), done


@case
def the_lock_is_not_held_while_the_editor_runs():
    make("f.json", "1\n")
    edit(0, "f.json", ["untorn who f.json && exit 1", "untorn lock --wait 0 f.json -- true || exit",
                       'echo 2 >"$draft"'])
    file_is("f.json", "2\n")


@case
def a_lock_that_is_not_obtained_keeps_the_draft():
    make("f.json", "1\n")
    done = edit(6, "f.json", ['echo 2 >"$draft"', "(untorn lock f.json -- sleep 3) >&- 2>&- &",
                              "until untorn who f.json; do sleep 0.01; done"], "--wait", "0.1")
    file_is("f.json", "1\n")
    file_is(kept_draft(done), "2\n")


@case
def an_editor_that_fails_changes_nothing():
    make("f.json", "1\n")
    done = edit(1, "f.json", ["exit 3"])
    assert "failed with status 3" in done.err and "draft" not in done.err, done
    assert drafts() == []
    done = edit(1, "f.json", ['echo 2 >"$draft"', "exit 1"])
    file_is(kept_draft(done), "2\n")
    done = edit(1, "f.json", ['echo 2 >"$draft"', "kill -9 $$"])
    assert "killed by signal 9" in done.err and kept_draft(done), done
    done = edit(1, "f.json", ['rm "$draft"'])
    assert "left no copy" in done.err and "your draft" not in done.err, done
    file_is("f.json", "1\n")


@case
def a_dry_run_shows_the_change_and_keeps_the_draft():
    make("f.json", "1\n")
    done = edit(0, "f.json", ['echo 2 >"$draft"'], "--dry-run")
    assert "-1\n+2\n" in done.out and kept_draft(done), done
    file_is("f.json", "1\n")


@case
def a_report_has_the_hash_of_what_was_saved():
    make("f.json", "1\n")
    line = json.loads(edit(0, "f.json", ['echo 2 >"$draft"'], "--report").out)
    assert line["verb"] == "edit" and line["status"] == "OK", line
    assert line["hash"] == expect(0, "hash", "f.json").out.strip(), line


@case
def a_link_is_followed_and_stays():
    os.mkdir("real")
    make("real/f.json", "1\n")
    os.symlink("real/f.json", "link.json")
    edit(0, "link.json", ['echo "$draft" >name', 'echo 2 >"$draft"'])
    assert os.path.islink("link.json")
    file_is("real/f.json", "2\n")
    assert "/real/.untorn/draft-" in Path("name").read_text(encoding="utf-8")


@case
def where_others_can_write_the_draft_is_elsewhere():
    os.mkdir("open")
    os.chmod("open", 0o777)
    os.mkdir("temporary")
    make("open/f.json", "1\n")
    env = {**editor('echo "$draft" >name', 'echo 2 >"$draft"'),
           "TMPDIR": os.path.abspath("temporary")}
    expect(0, "edit", "open/f.json", env=env)
    file_is("open/f.json", "2\n")
    assert "/temporary/untorn-" in Path("name").read_text(encoding="utf-8")
    assert os.listdir("temporary") == []
    env["TMPDIR"] = "/no/such/place"
    done = expect(1, "edit", "open/f.json", env=env)
    assert "cannot make a copy" in done.err, done


@case
def in_a_sticky_directory_the_draft_is_in_the_folder_of_the_user():
    os.mkdir("sticky")
    os.chmod("sticky", 0o1777)
    make("sticky/f.json", "1\n")
    edit(0, "sticky/f.json", ['echo "$draft" >name', 'echo 2 >"$draft"'])
    file_is("sticky/f.json", "2\n")
    name = Path("name").read_text(encoding="utf-8")
    assert f"/sticky/.untorn-{os.geteuid()}/draft-" in name, name


@case
def check_lists_a_draft_that_was_kept_and_never_removes_it():
    os.mkdir("d")
    make("d/f.json", "1\n")
    make("d/g.json", "1\n")
    draft = os.path.relpath(kept_draft(edit(4, "d/f.json", ['echo "{" >"$draft"'])))
    line = f"d/f.json: a draft of untorn edit that was not saved; kept ({draft}, 2 bytes)\n"
    for words in (["d/f.json"], ["d"], ["--repair", "d"], ["--repair", "--abandon", "d"]):
        done = expect(4, "check", *words)
        assert done.out == line, done
        assert done.err == (f"untorn: {words[-1]}: 1 left (to save a draft: untorn write FILE "
                            "DRAFT; to give it up, remove its folder)\n"), done
        file_is(draft, "{\n")
    report = [json.loads(text) for text in expect(4, "check", "--report", "d").out.splitlines()]
    assert report[0] == {"verb": "check", "path": "d", "found": "draft", "file": "d/f.json",
                         "kept": draft, "size": 2, "repaired": False}, report
    assert report[-1]["left"] == 1, report
    assert expect(0, "check", "d/g.json").out == ""
    os.chdir("d")
    assert expect(4, "check").out == line.replace("d/", "")
    os.chdir("..")


@case
def check_lists_a_draft_with_what_else_is_left():
    make("log.jsonl", '{"n":')
    expect(0, "append", "log.jsonl", stdin="1\n")
    edit(1, "log.jsonl", ['echo 2 >"$draft"', "exit 1"])
    done = expect(4, "check", "log.jsonl")
    assert len(done.out.splitlines()) == len(done.err.splitlines()) == 2, done
    done = expect(4, "check", "--repair", "--abandon")
    assert "given up: a torn record" in done.out and "a draft" in done.out, done
    assert done.err.count("1 left") == 1 and len(drafts()) == 1, done


@case
def check_finds_a_draft_by_the_link_that_was_edited():
    os.mkdir("real")
    make("real/f.json", "1\n")
    os.symlink("real/f.json", "link.json")
    draft = kept_draft(edit(4, "link.json", ['echo "{" >"$draft"']))
    assert str(draft) in expect(4, "check", "link.json").out
    assert os.path.relpath(draft) in expect(4, "check", "real").out


@case
def check_finds_a_draft_in_a_sticky_directory():
    os.mkdir("sticky")
    os.chmod("sticky", 0o1777)
    make("sticky/f.json", "1\n")
    draft = kept_draft(edit(4, "sticky/f.json", ['echo "{" >"$draft"']))
    assert os.path.relpath(draft) in expect(4, "check", "sticky/f.json").out


@case
def check_says_nothing_of_a_draft_that_somebody_is_at():
    make("f.json", "1\n")
    edit(0, "f.json", ["untorn check >seen 2>&1 || exit 1", 'echo 2 >"$draft"'])
    file_is("seen", "")
    file_is("f.json", "2\n")


@case
def check_takes_nothing_that_others_put_there_for_a_draft():
    make("f.json", "1\n")
    expect(0, "write", "f.json", stdin="2\n")
    os.mkdir("elsewhere")
    make("elsewhere/f.json", "3\n")
    os.symlink("../elsewhere", ".untorn/draft-linked")
    make(".untorn/draft-file", "4\n")
    os.mkdir(".untorn/draft-folder")
    os.mkdir(".untorn/draft-folder/f.json")
    os.symlink("../../f.json", ".untorn/draft-folder/link.json")
    os.mkdir(".untorn/draft-shared")
    os.chmod(".untorn/draft-shared", 0o777)
    make(".untorn/draft-shared/f.json", "5\n")
    done = expect(0, "check", "--repair")
    assert done.out == done.err == "", done


@case
def a_signal_to_untorn_keeps_the_draft_and_ends_it():
    make("f.json", "1\n")
    env = {**os.environ, **editor('echo 2 >"$draft"', ": >ready", "trap 'exit 0' TERM",
                                  "while :; do sleep 0.02; done")}
    with subprocess.Popen(["untorn", "edit", "f.json"], env=env, stderr=subprocess.PIPE,
                          text=True) as child:
        while not os.path.exists("ready"):
            time.sleep(0.01)
        child.send_signal(signal.SIGTERM)
        err = child.stderr.read()
    assert child.returncode == -signal.SIGTERM and "your draft is kept" in err, err
    file_is("f.json", "1\n")


def on_terminal(env, keys, *words):
    """Types each answer when its text appears. Returns the exit status and what was shown."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(env)
        os.execvp("untorn", ["untorn", *words])
    shown = b""
    keys = list(keys)
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if keys and shown.count(b"[e] ") >= keys[0][0]:
            os.write(terminal, keys.pop(0)[1])
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.decode()


@case
def on_a_terminal_bad_syntax_is_edited_again():
    make("f.json", "1\n")
    env = editor('[ -e second ] && echo "[2]" >"$draft" && exit', ": >second",
                 'echo "[" >"$draft"')
    status, shown = on_terminal(env, [(1, b"\n")], "edit", "f.json")
    assert status == 0 and "truncated" in shown and "e: edit again" in shown, shown
    file_is("f.json", "[2]\n")
    assert drafts() == []


@case
def on_a_terminal_one_can_quit_and_the_draft_is_kept():
    make("f.json", "1\n")
    for answer in (b"q\n", b"Quit\n", b"\x04"):
        status, shown = on_terminal(editor('echo "[" >"$draft"'), [(1, answer)], "edit", "f.json")
        assert status == 4 and "your draft is kept: " in shown, shown
        file_is("f.json", "1\n")


@case
def ctrl_c_is_for_the_editor():
    make("f.json", "1\n")
    env = editor("trap 'echo 2 >\"$draft\"; exit 0' INT", "printf '[e] '",
                 "while :; do sleep 0.02; done")
    status, shown = on_terminal(env, [(1, b"\x03")], "edit", "f.json")
    assert status == 0, shown
    file_is("f.json", "2\n")


if __name__ == "__main__":
    from lib import main
    main()
