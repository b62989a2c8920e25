#!/usr/bin/python3
"""untorn apply."""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, changes, expect, file_is, main, make, prints, refuses  # noqa: E402

TOML = "# main\n[server]\nport = 80   # proxy\ndebug = true\n"
ADD = '[{"op": "add", "path": "/server/name", "value": "x"}]'


@case
def a_merge_patch_sets_and_removes():
    make("f.toml", TOML)
    changes("apply", "f.toml", "--merge-patch", '{"server": {"port": 81, "debug": null}}')
    file_is("f.toml", "# main\n[server]\nport = 81   # proxy\n")


@case
def a_json_patch_is_carried_out_in_its_order():
    make("f.json", '{"a": [1, 2]}')
    changes("apply", "--json-patch", '[{"op": "add", "path": "/a/1", "value": 9},'
            '{"op": "remove", "path": "/a/0"}, {"op": "move", "from": "/a", "path": "/b"}]',
            "f.json")
    assert json.loads(Path("f.json").read_text()) == {"b": [9, 2]}


@case
def a_move_to_another_name_keeps_place_and_comments():
    make("f.toml", "[old] # why\na = 1 # one\n\n[old.sub]\n\n[z]\n")
    changes("apply", "f.toml", "--json-patch",
            '[{"op": "move", "from": "/old", "path": "/new"}]')
    file_is("f.toml", "[new] # why\na = 1 # one\n\n[new.sub]\n\n[z]\n")


@case
def a_patch_may_be_text_or_a_file_or_standard_input():
    make("f.toml", TOML)
    make("patch.json", ADD)
    changes("apply", "f.toml", "--json-patch", "patch.json")
    prints("x\n", "get", "f.toml", "server.name")
    changes("apply", "f.toml", "--json-patch", "-", stdin=ADD.replace('"x"', '"y"'))
    prints("y\n", "get", "f.toml", "server.name")
    changes("apply", "f.toml", "--json-patch", ADD)
    prints("x\n", "get", "f.toml", "server.name")
    done = refuses(3, "f.toml", "apply", "f.toml", "--json-patch", "none.json")
    assert done.err.startswith("untorn: none.json: "), done


@case
def a_test_that_fails_ends_with_5_and_changes_nothing():
    make("f.toml", TOML)
    test = '[{"op": "add", "path": "/new", "value": 1},' \
           ' {"op": "test", "path": "/server/port", "value": %d}]'
    done = refuses(5, "f.toml", "apply", "f.toml", "--json-patch", test % 79)
    assert done.err.startswith("untorn: f.toml: a test of the patch failed"), done
    assert done.err.count("\n") == 1 and "/server/port" in done.err, done
    changes("apply", "f.toml", "--json-patch", test % 80)
    prints("1\n", "get", "f.toml", "new")


@case
def what_is_no_patch_is_refused():
    make("f.json", '{"a": 1}')
    for patch in ("{", "[1]", '{"op": "add"}', '[{"op": "frob", "path": "/a"}]',
                  '[{"op": "add", "path": "a", "value": 1}]', '[{"op": "add", "path": "/b"}]'):
        done = refuses(2, "f.json", "apply", "f.json", "--json-patch", patch)
        assert "damaged" not in done.err, done
    refuses(2, "f.json", "apply", "f.json", "--merge-patch", "{]")
    refuses(3, "f.json", "apply", "f.json", "--json-patch", '[{"op": "remove", "path": "/b"}]')


@case
def there_must_be_one_patch():
    make("f.json", "{}")
    for words in ((), ("--merge-patch", "{}", "--json-patch", "[]"), ("--merge-patch", ""),
                  ("--merge-patch",), ("{}",), ("--merge-patch", "{}", "x")):
        refuses(2, "f.json", "apply", "f.json", *words)
    expect(2, "apply", "--format", "json", "-", "--merge-patch", "-")


@case
def null_has_no_place_in_toml():
    make("f.toml", TOML)
    patch = '[{"op": "add", "path": "/a", "value": null}]'
    refuses(1, "f.toml", "apply", "f.toml", "--json-patch", patch)


@case
def a_filter_a_dry_run_and_a_report_work_as_for_set():
    prints("a = 2 # x\n", "apply", "--format", "toml", "-", "--merge-patch", '{"a": 2}',
           stdin="a = 1 # x\n")
    make("f.toml", TOML)
    out = expect(0, "apply", "f.toml", "--dry-run", "--merge-patch", '{"server": null}').out
    assert "-[server]" in out, out
    file_is("f.toml", TOML)
    report = json.loads(expect(0, "apply", "--report", "f.toml", "--json-patch", ADD).out)
    assert report["verb"] == "apply" and report["status"] == "OK" and "hash" in report, report
    changes("apply", "new.toml", "--merge-patch", '{"a": {"b": 1}}')
    prints("1\n", "get", "new.toml", "a.b")


if __name__ == "__main__":
    main()
