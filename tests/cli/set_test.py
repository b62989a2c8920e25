#!/usr/bin/python3
"""untorn set and untorn unset."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, changes, expect, file_is, main, make, prints, refuses, untorn  # noqa: E402

TOML = "# main\n[server]\nport = 80   # proxy\nhosts = ['a', \"b\"]\n"


@case
def a_value_changes_and_nothing_else():
    make("f.toml", TOML)
    changes("set", "f.toml", "server.port", "8080")
    file_is("f.toml", TOML.replace("80 ", "8080 "))
    make("f.json", '{"a":1,\r\n\t"b" : [ 1,2 ]}')
    changes("set", "f.json", "b[1]", "30")
    file_is("f.json", '{"a":1,\r\n\t"b" : [ 1,30 ]}')


@case
def several_pairs_are_one_update():
    make("f.toml", TOML)
    changes("set", "f.toml", "server.port", "81", "server.name", "x", "server.hosts[+]", "c")
    prints("81\n", "get", "f.toml", "server.port")
    prints("c\n", "get", "f.toml", "server.hosts[2]")
    refuses(1, "f.toml", "set", "f.toml", "server.port", "82", "server.hosts[0]", "1",
            "server.port", "no number")
    refuses(2, "f.toml", "set", "f.toml", "server.port", "82", "a..b", "1")


@case
def a_value_keeps_the_type_of_what_it_replaces():
    make("f.json", '{"i": 1, "f": 1.5, "s": "x", "b": true, "n": null, "o": {}, "a": []}')
    for key, value, spelled in (("i", "-5", "-5"), ("i", "2.5", "2.5"), ("f", "3e5", "3e5"),
                                ("s", "8080", '"8080"'), ("s", "", '""'), ("s", "true", '"true"'),
                                ("b", "false", "false"), ("n", "7", "7"), ("new", "1.0", "1.0"),
                                ("word", "hello", '"hello"'), ("hex", "0x10", '"0x10"'),
                                ("yes", "true", "true")):
        changes("set", "f.json", key, value)
        prints(spelled + "\n", "get", "--json", "f.json", key)
    for key, value in (("i", "x"), ("i", ""), ("b", "1"), ("b", "yes"), ("o", "1"), ("a", "x")):
        done = refuses(1, "f.json", "set", "f.json", key, value)
        assert done.err.startswith("untorn: f.json: the value has another type"), done


@case
def a_spelling_says_the_type_outright():
    make("f.toml", TOML)
    changes("set", "f.toml", "--string", "server.port", "80")
    prints('"80"\n', "get", "--json", "f.toml", "server.port")
    changes("set", "f.toml", "--json", "server.port", '{"a": [1, "x"]}')
    prints("x\n", "get", "f.toml", "server.port.a[1]")
    changes("set", "f.toml", "--toml", "server.day", "1979-05-27")
    tagged = json.loads(expect(0, "get", "--tagged", "f.toml", "server.day").out)
    assert tagged["type"] == "date-local", tagged
    expect(2, "set", "f.toml", "--json", "--string", "a", "1")
    refuses(2, "f.toml", "set", "f.toml", "--json", "a", "{")
    refuses(2, "f.toml", "set", "f.toml", "--toml", "a", "1979-")


@case
def a_missing_file_is_made():
    changes("set", "new.toml", "a.b", "1")
    prints("1\n", "get", "new.toml", "a.b")
    changes("set", "new.json", "a.b", "1")
    assert json.loads(Path("new.json").read_text()) == {"a": {"b": 1}}
    changes("set", "--format", "toml", "conf", "a", "1")
    file_is("conf", "a = 1\n")
    done = expect(2, "set", "other", "a", "1")
    assert "--format" in done.err and "untorn update" in done.err, done
    expect(3, "set", "no/dir.toml", "a", "1")
    changes("set", "--parents", "--mode", "600", "dir/sub/f.toml", "a", "1")
    assert os.stat("dir/sub/f.toml").st_mode & 0o777 == 0o600
    assert not os.path.exists("other")


@case
def raw_segments_are_taken_as_they_are():
    make("f.json", "{}")
    changes("set", "f.json", "-k", "a.b", "c d", "1")
    changes("set", "-k", "f.json", "a.b", "", "x")
    changes("set", "f.json", "-k", "--", "--dash", "-v")
    assert json.loads(Path("f.json").read_text()) == {"a.b": {"c d": 1, "": "x"}, "--dash": "-v"}
    make("a.json", '{"a": [1]}')
    changes("set", "a.json", "-k", "a", "-", "2")
    changes("set", "a.json", "-k", "a", "0", "5")
    assert json.loads(Path("a.json").read_text()) == {"a": [5, 2]}


@case
def a_pointer_makes_no_parents():
    make("f.json", '{"a": {}}')
    changes("set", "f.json", "/a/b", "1")
    done = refuses(3, "f.json", "set", "f.json", "/c/d", "1")
    assert "-k" in done.err, done


@case
def a_negative_number_is_an_operand():
    make("f.toml", TOML)
    changes("set", "f.toml", "server.port", "-5")
    prints("-5\n", "get", "f.toml", "server.port")
    done = refuses(2, "f.toml", "set", "f.toml", "server.port", "-x")
    changes("set", "f.toml", "server.flag", "--", "-x")
    prints("-x\n", "get", "f.toml", "server.flag")
    assert "unknown option -x; a KEY or VALUE with a dash in front goes behind --" in done.err, done


@case
def comments_are_not_lost_to_a_value_among_tables():
    make("f.toml", "[[x]]\na = 1 # one\n\n[[x]]\na = 2\n")
    done = refuses(1, "f.toml", "set", "f.toml", "x[+]", "3")
    assert "comments lost: set the whole array" in done.err, done
    changes("set", "f.toml", "x[+].a", "3")
    file_is("f.toml", "[[x]]\na = 1 # one\n\n[[x]]\na = 2\n\n[[x]]\na = 3\n")
    changes("set", "--json", "f.toml", "x", "[3]")
    file_is("f.toml", "x = [3]\n")


@case
def a_value_may_come_from_a_file_or_standard_input():
    make("f.toml", TOML)
    make("secret", "s3cret\n")
    changes("set", "f.toml", "--from", "secret", "token")
    prints('"s3cret"\n', "get", "--json", "f.toml", "token")
    changes("set", "f.toml", "token", "--from", "-", stdin="two\nlines\n\n")
    prints('"two\\nlines\\n"\n', "get", "--json", "f.toml", "token")
    changes("set", "f.toml", "--string", "--from", "-", "-k", "to.ken", "x", stdin="no newline")
    prints("no newline\n", "get", "f.toml", "-k", "to.ken", "x")
    changes("set", "f.toml", "--json", "--from", "-", "list", stdin="[1,\n 2]\n")
    prints("2\n", "get", "f.toml", "list[1]")
    done = refuses(3, "f.toml", "set", "f.toml", "--from", "no-such", "token")
    assert done.err.startswith("untorn: no-such: ") and "f.toml is unchanged" in done.err, done
    refuses(2, "f.toml", "set", "f.toml", "--from", "secret", "token", "x")
    expect(2, "set", "--format", "toml", "-", "--from", "-", "a")


@case
def a_value_from_a_file_is_quoted_in_no_message():
    make("f.toml", "n = 1\nt = [1]\n")
    make("secret", " s3cret ")
    for status, words in ((1, ["n"]), (1, ["t"]), (2, ["--json", "n"]), (2, ["--toml", "new"])):
        done = refuses(status, "f.toml", "set", "f.toml", "--from", "secret", *words)
        assert "s3cret" not in done.out + done.err, done
    done = expect(1, "set", "f.toml", "--report", "--from", "secret", "n")
    assert "s3cret" not in done.out + done.err and "not shown" in done.err, done
    done = refuses(1, "f.toml", "set", "f.toml", "n", "s3cret")  # seen by all anyway
    assert "s3cret" in done.err, done


@case
def the_words_must_make_pairs():
    make("f.toml", TOML)
    for words in ((), ("server.port",), ("a", "1", "b"), ("", "1"), ("a", "1", "", "2"), ("-k",),
                  ("-k", "1"), ("--from", "x")):
        refuses(2, "f.toml", "set", "f.toml", *words)
    for words in ((), ("",), ("server.port", "")):
        refuses(2, "f.toml", "unset", "f.toml", *words)
    done = refuses(2, "f.toml", "set", "f.toml", "server.port")
    assert "VALUE is missing behind 'server.port'" in done.err, done


@case
def what_is_there_already_is_not_written():
    make("f.toml", TOML)
    before = os.stat("f.toml")
    changes("set", "f.toml", "server.port", "80")
    after = os.stat("f.toml")
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    done = expect(0, "set", "--report", "f.toml", "server.port", "80")
    assert json.loads(done.out)["flags"] == ["unchanged"], done


@case
def a_report_names_the_version_that_was_saved():
    make("f.toml", TOML)
    report = json.loads(expect(0, "set", "--report", "f.toml", "server.port", "81").out)
    assert (report["verb"], report["path"], report["status"]) == ("set", "f.toml", "OK"), report
    prints(report["hash"] + "\n", "hash", "f.toml")
    changes("set", "--if-match", report["hash"], "f.toml", "server.port", "82")
    refuses(5, "f.toml", "set", "--if-match", report["hash"], "f.toml", "server.port", "83")
    done = expect(3, "unset", "--report", "f.toml", "none")
    report = json.loads(done.out)
    assert report["status"] == "NO_KEY" and report["exit"] == 3 and "hash" not in report, report
    report = json.loads(expect(0, "set", "--report", "new.toml", "a", "1").out)
    assert report["flags"] == ["created"], report


@case
def a_dry_run_is_a_diff():
    make("f.toml", TOML)
    before = os.stat("f.toml").st_mtime_ns
    prints("--- f.toml\n+++ f.toml\n@@ -1,4 +1,4 @@\n # main\n [server]\n-port = 80   # proxy\n"
           "+port = 81   # proxy\n hosts = ['a', \"b\"]\n",
           "set", "--dry-run", "f.toml", "server.port", "81")
    prints("", "set", "--dry-run", "f.toml", "server.port", "80")
    assert "+a = 1\n" in expect(0, "set", "--dry-run", "new.toml", "a", "1").out
    assert "-port = 80" in expect(0, "unset", "--dry-run", "f.toml", "server.port").out
    refuses(3, "f.toml", "unset", "--dry-run", "f.toml", "nothing")
    refuses(5, "f.toml", "set", "--dry-run", "--if-match", "0" * 32, "f.toml", "a", "1")
    assert os.stat("f.toml").st_mtime_ns == before and os.listdir(".") == ["f.toml"]


@case
def a_filter_edits_standard_input():
    prints("a = 2 # x\n", "set", "--format", "toml", "-", "a", "2", stdin="a = 1 # x\n")
    prints("b = 1\n", "unset", "--format", "toml", "-", "a", stdin="a = 1\nb = 1\n")
    prints('{"a": 1}', "set", "--format", "json", "--", "-", "a", "1", stdin='{"a": 0}')
    done = expect(2, "set", "-", "a", "1", stdin="a = 1\n")
    assert "--format" in done.err, done
    done = expect(4, "set", "--format", "json", "-", "a", "1", stdin="{")
    assert done.out == "" and done.err.startswith("untorn: standard input: "), done
    expect(2, "set", "--format", "toml", "--mode", "600", "-", "a", "1")


@case
def a_document_that_does_not_parse_is_never_touched():
    make("f.toml", "a = 1\nb = \n")
    for words in (("set", "f.toml", "a", "2"), ("unset", "f.toml", "a"),
                  ("set", "--dry-run", "f.toml", "a", "2"),
                  ("apply", "f.toml", "--merge-patch", "{}")):
        done = refuses(4, "f.toml", *words)
        lines = done.err.splitlines()
        assert len(lines) == 3 and "line 2" in lines[0] and lines[1].strip() == "b =", done
    make("e.json", "")
    refuses(4, "e.json", "set", "e.json", "a", "1")


@case
def unset_removes_keys():
    make("f.toml", TOML)
    changes("unset", "f.toml", "server.port", "server.hosts[0]")
    prints("b\n", "get", "f.toml", "server.hosts[0]")
    expect(3, "get", "f.toml", "server.port")
    refuses(3, "f.toml", "unset", "f.toml", "server.hosts", "server.port")
    changes("unset", "f.toml", "-k", "server", "hosts")
    expect(3, "unset", "none.toml", "a")
    assert not os.path.exists("none.toml")
    make("f.json", '{"a.b": 1, "c": 2}')
    changes("unset", "f.json", "-k", "a.b")
    prints("2\n", "get", "f.json", "c")


@case
def a_key_that_means_two_places_is_refused():
    make("f.json", '{"a.b": 1, "a": {"b": 2}}')
    done = refuses(1, "f.json", "set", "f.json", "a.b", "3")
    assert "the key means more than one place" in done.err, done
    changes("set", "f.json", '"a.b"', "3")
    changes("set", "f.json", "/a/b", "4")
    file_is("f.json", '{"a.b": 3, "a": {"b": 4}}')


@case
def links_and_modes_are_kept():
    make("real.toml", TOML)
    os.chmod("real.toml", 0o640)
    os.symlink("real.toml", "f.toml")
    changes("set", "f.toml", "server.port", "81")
    assert os.path.islink("f.toml") and os.stat("real.toml").st_mode & 0o777 == 0o640
    prints("81\n", "get", "real.toml", "server.port")
    refuses(1, "real.toml", "set", "--symlink", "refuse", "f.toml", "server.port", "82")
    inode = os.stat("real.toml").st_ino
    changes("set", "--keep-inode", "f.toml", "server.port", "83")
    assert os.stat("real.toml").st_ino == inode


@case
def a_lock_that_is_held_is_waited_for_and_no_longer():
    make("f.toml", TOML)
    holder = subprocess.Popen(["untorn", "lock", "f.toml", "--", "sh", "-c", "echo; read line"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    done = refuses(6, "f.toml", "set", "--wait", "0", "f.toml", "server.port", "1")
    refuses(6, "f.toml", "unset", "--wait", "0.01", "f.toml", "server.port")
    prints("80\n", "get", "f.toml", "server.port")
    holder.communicate(b"\n")
    assert "untorn lock f.toml" in done.err, done
    changes("set", "--wait", "0", "f.toml", "server.port", "1")


@case
def of_many_at_once_none_is_lost():
    writers = [subprocess.Popen(["untorn", "set", "--level", "cache", "f.json", f"k{i}", str(i)])
               for i in range(24)]
    assert all(writer.wait() == 0 for writer in writers)
    assert json.loads(Path("f.json").read_text()) == {f"k{i}": i for i in range(24)}


@case
def control_characters_of_a_document_do_not_reach_the_terminal():
    make("f.toml", b"a = \x1b[31m\n")
    done = untorn("set", "f.toml", "a", "1")
    assert done.status == 4 and "\x1b" not in done.err, done


@case
def a_key_in_a_message_is_escaped():
    make("f.toml", TOML)
    done = expect(3, "unset", "f.toml", "-k", "\x1b[31m\nuntorn: fine")
    assert "\x1b" not in done.err and done.err.count("\n") == 1, done


def in_little_memory(verb, *words):
    """With 32 MB of data, a third of what a tree of the file takes."""
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (32 << 20, 32 << 20))
    return subprocess.run(["untorn", verb, "large.json", *words], preexec_fn=limit,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)


@case
def a_large_file_needs_little_memory():
    records = ",\n".join(f'  "key-{i}": {{"a": [{i}, true], "b": "text"}}' for i in range(300000))
    make("large.json", "{\n" + records + ',\n  "end": 0\n}\n')
    before = Path("large.json").read_bytes()
    for words, expected in (
            (["set", "end", "7"], before.replace(b'"end": 0', b'"end": 7')),
            (["set", "end", "0"], before),
            (["set", "new", "1"], before.replace(b'"end": 0', b'"end": 0,\n  "new": 1')),
            (["unset", "new"], before),
            (["set", "key-7.c.d", "x"],
             before.replace(b'"a": [7, true], "b": "text"}',
                            b'"a": [7, true], "b": "text", "c": {"d": "x"}}')),
            (["unset", "key-7.c"], before),
            (["set", "key-8.a[+]", "x"], before.replace(b"[8, true]", b'[8, true, "x"]')),
            (["set", "--json", "key-8.a", "[8, true]"], before),
            (["set", "--json", "key-9", '{"a": [], "b": "x", "c": {"d": [1]}}'],
             before.replace(b'{"a": [9, true], "b": "text"}',
                            b'{"a": [], "b": "x", "c": {"d": [1]}}')),
            (["set", "--json", "key-9", '{"a": [9, true], "b": "text"}'], before),
            (["unset", "key-0"],
             before.replace(b'  "key-0": {"a": [0, true], "b": "text"},\n', b""))):
        done = in_little_memory(*words)
        assert done.returncode == 0, (words, done)
        assert Path("large.json").read_bytes() == expected, words
    assert in_little_memory("get", "key-299999.a[0]").stdout == b"299999\n"
    assert in_little_memory("get", "key-0").returncode == 3
    assert in_little_memory("unset", "key-0").returncode == 3
    assert in_little_memory("get").returncode != 0  # the whole of it: a tree


if __name__ == "__main__":
    main()
