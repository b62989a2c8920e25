#!/usr/bin/python3
"""untorn config."""

import json
import os
import random
import subprocess
import sys
import tomllib
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from lib import case, changes, expect, file_is, main, make, prints, untorn  # noqa: E402

SCHEMA = """env_prefix = "APP"
[[key]]
name = "server.port"
type = "integer"
default = 8000
max = 65535
[[key]]
name = "server.host"
type = "string"
[[key]]
name = "auth.token"
type = "string"
secret = true
scopes = ["global"]
"""
NOBODY = 65534


def home():
    """A home, a project and a schema, with the working directory below the project."""
    make("schema.toml", SCHEMA)
    for folder in ("home", "project/.app", "project/sub"):
        os.makedirs(folder)
    os.environ["HOME"] = os.path.abspath("home")
    for name in ("XDG_CONFIG_HOME", "APP_SERVER_PORT"):
        os.environ.pop(name, None)
    schema = os.path.abspath("schema.toml")
    os.chdir("project/sub")
    return ["config", "--app", "app", "--schema", schema]


def value_and_origin(done):
    value, scope, place = done.out.rstrip("\n").split("\t")
    return value, scope, place


@case
def a_value_is_told_with_its_scope_file_and_line():
    app = home()
    project = os.path.abspath("../.app/config.toml")
    assert value_and_origin(expect(0, *app, "get", "server.port", "--show-origin")) == \
        ("8000", "default", app[-1])
    changes(*app, "set", "--scope", "project", "server.port", "9")
    assert value_and_origin(expect(0, *app, "get", "--show-origin", "server.port")) == \
        ("9", "project", project + ":2")
    done = expect(0, *app, "get", "--show-origin", "--json", "server.port")
    assert json.loads(done.out) == {"value": 9, "scope": "project", "path": project, "line": 2,
                                    "column": 1}
    done = expect(0, *app, "get", "server.port", "--show-origin", env={"APP_SERVER_PORT": "7"})
    assert value_and_origin(done) == ("7", "environment", "APP_SERVER_PORT")
    done = expect(0, *app, "get", "server.port", "--show-origin", "--override", "server.port=5")
    assert value_and_origin(done) == ("5", "override", "-")
    done = expect(0, *app, "list", "--json", "--show-origin", env={"APP_SERVER_PORT": "7"})
    assert json.loads(done.out)[0]["variable"] == "APP_SERVER_PORT", done
    prints("1\n", "config", "--app", "app", "get", "-k", "a=b\"c", "--override", '"a=b\\"c"=1')
    make("over.toml", "[server]\nport = 4\n")
    prints("4\n", *app, "get", "server.port", "--file", "override=over.toml")


@case
def what_is_set_goes_to_one_file_and_says_nothing():
    app = home()
    path = Path(os.environ["HOME"]) / ".config/app/config.toml"
    changes(*app, "set", "--scope", "global", "server.port", "1", "server.host", "h")
    file_is(path, '[server]\nport = 1\nhost = "h"\n')
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert os.listdir("../.app") == []
    changes(*app, "set", "--scope", "local", "-k", "server", "port", "2")
    file_is("../.app/config.local.toml", "[server]\nport = 2\n")
    changes(*app, "unset", "--scope", "local", "server.port")
    prints("1\n", *app, "get", "server.port")
    done = expect(0, *app, "set", "--scope", "global", "--report", "server.port", "3")
    report = json.loads(done.out)
    assert report["path"] == str(path) and report["status"] == "OK" and len(report["hash"]) == 32
    done = expect(0, *app, "set", "--scope", "global", "--dry-run", "server.port", "4")
    assert "-port = 3\n+port = 4\n" in done.out
    prints("3\n", *app, "get", "server.port")
    done = expect(1, *app, "set", "--scope", "global", "--report", "server.port", "x")
    assert json.loads(done.out)["status"] == "NOT_ALLOWED", done
    done = expect(1, *app, "set", "--scope", "global", "--dry-run", "server.port", "x")
    assert done.out == "", done
    expect(3, *app, "set", "--scope", "global", "server.host", "--from", "missing")
    changes(*app, "set", "--scope", "global", "server.host", "--from", "/dev/null")
    prints("\n", *app, "get", "server.host")
    make("value", "long\n")
    changes(*app, "set", "--scope", "global", "server.host", "--from", "value")
    prints("long\n", *app, "get", "server.host")


@case
def what_the_schema_does_not_allow_is_refused():
    app = home()
    for words, says in ((("sever.port", "1"), "did you mean server.port?"),
                        (("server.port", "x"), "must be an integer, not 'x'"),
                        (("server.port", "70000"), "at most 65535"),
                        (("auth.token", "x"), "may not be set in the scope local (only: global)")):
        done = expect(1, *app, "set", "--scope", "local", *words)
        assert says in done.err and done.out == "", done
    assert os.listdir("../.app") == []


@case
def a_key_that_is_not_there_is_3_or_the_default():
    app = home()
    done = expect(3, *app, "get", "server.prt")
    assert done.err == "untorn: app: no such key: server.prt; did you mean server.port?\n", done
    prints("4\n", *app, "get", "server.prt", "--default", "4")


@case
def a_damaged_file_is_4_and_named():
    app = home()
    make("../.app/config.toml", "port = = 1\n")
    for words in (["get", "server.port"], ["list"], ["list", "--json"], ["get"],
                  ["get", "x", "--default", "1"],
                  ["set", "--scope", "project", "server.port", "1"]):
        done = expect(4, *app, *words)
        assert ".app/config.toml: the content is damaged: line 1, column 8" in done.err, done
    file_is("../.app/config.toml", "port = = 1\n")


@case
def an_environment_value_of_the_wrong_type_is_4_and_named():
    app = home()
    env = {"APP_SERVER_PORT": "x", "APP_SERVER_HOST": "h"}
    done = expect(4, *app, "get", "server.port", env=env)
    assert done.err.startswith("untorn: APP_SERVER_PORT: "), done
    prints("h\n", *app, "get", "server.host", env=env)
    done = expect(4, *app, "list", env=env)
    assert done.out == 'server.host = "h"\n' and "APP_SERVER_PORT" in done.err, done
    done = expect(4, *app, "check", env=env)
    assert done.out == "APP_SERVER_PORT: server.port must be an integer, not a string\n", done


@case
def secrets_are_masked_and_their_files_private():
    app = home()
    path = Path(os.environ["HOME"]) / ".config/app/config.toml"
    changes(*app, "set", "--scope", "global", "server.host", "h")
    path.chmod(0o644)
    done = expect(0, *app, "set", "--scope", "global", "auth.token", "s3cret")
    assert "note: it holds a secret now" in done.err and done.out == "", done
    assert path.stat().st_mode & 0o777 == 0o600
    for words in (["list"], ["list", "--json"], ["list", "--show-origin"], ["get"],
                  ["list", "--json", "--show-origin"], ["get", "auth"], ["get", "-k", "auth"]):
        done = expect(0, *app, *words)
        assert "********" in done.out and "s3cret" not in done.out, done
    prints("s3cret\n", *app, "get", "auth.token")
    path.chmod(0o640)
    done = expect(4, *app, "check")
    assert "holds the secret auth.token" in done.out, done


@case
def check_tells_all_that_is_wrong_and_exits_with_the_worst():
    app = home()
    prints("", *app, "check")
    make("../.app/config.toml", "a = 1\n\n[server]\n  port = 'x'\n")
    make("../.app/config.local.toml", "x = \n")
    done = expect(4, *app, "check")
    lines = done.out.splitlines()
    assert lines[0].endswith("config.toml:1:1: a is not a key that the schema knows"), done
    assert lines[1].endswith("config.toml:4:3: server.port must be an integer, not a string"), done
    assert "config.local.toml:1:5: the content is damaged" in lines[2], done


@case
def path_tells_the_files():
    app = home()
    above = os.path.abspath("..")
    glob = os.environ["HOME"] + "/.config/app/config.toml"
    prints(f"global\t{glob}\nproject\t{above}/.app/config.toml\n"
           f"local\t{above}/.app/config.local.toml\n", *app, "path")
    prints(glob + "\n", *app, "path", "--scope", "global")
    prints("/x/app/config.toml\n", *app, "path", "--scope", "global", env={"XDG_CONFIG_HOME": "/x"})
    for value in ("", "relative"):
        prints(glob + "\n", *app, "path", "--scope", "global", env={"XDG_CONFIG_HOME": value})
    done = expect(3, *app, "path", "--scope", "global", env={"HOME": ""})
    assert "neither XDG_CONFIG_HOME nor HOME" in done.err, done
    os.chdir("/")
    assert "mkdir .app" in expect(3, *app, "set", "--scope", "project", "server.port", "1").err
    done = expect(3, *app, "set", "--scope", "global", "server.port", "1",
                  env={"HOME": "/nonexistent"})
    assert "HOME is /nonexistent, which is not there" in done.err, done
    prints("8000\n", *app, "get", "server.port", env={"HOME": "/nonexistent"})


@case
def a_file_that_another_user_planted_is_not_obeyed_and_told():
    if os.geteuid() != 0:
        return
    app = home()
    make("../.app/config.toml", "[server]\nport = 6\n")
    make("app.toml", "[server]\nport = 666\n")
    os.chown("app.toml", NOBODY, NOBODY)
    done = expect(0, *app, "get", "server.port", "--show-origin")
    assert done.out.startswith("6\tproject\t") and "sub/app.toml: belongs to user" in done.err, done
    prints("6\n", *app, "get", "server.port")
    os.chown("app.toml", 0, 0)
    prints("666\n", *app, "get", "server.port")


@case
def words_that_make_no_sense_are_usage_errors():
    app = home()
    for words in ([], ["frob"], ["get", "a", "b"], ["get", ""], ["set", "a", "1"],
                  ["set", "--scope", "global", "a"], ["set", "--scope", "global"],
                  ["set", "--scope", "default", "a", "1"], ["list", "a"], ["list", "--report"],
                  ["get", "a", "--scope", "global"], ["unset", "--scope", "global"],
                  ["list", "--file", "globl=x"], ["list", "--override", "x"], ["path", "x"],
                  ["set", "--scope", "global", "--from", "x", "a", "b"]):
        done = expect(2, *app, *words)
        assert done.out == "" and done.err.startswith("untorn: config: "), done
    expect(2, "config", "list")
    expect(2, "config", "--app", "../x", "list")
    expect(4, "config", "--app", "x", "list", "--schema", os.path.abspath("../.app"))


@case
def a_schema_that_is_not_right_is_4_with_line_and_column():
    app = home()
    make(app[-1], SCHEMA + '[[key]]\nname = "server_port"\n')
    done = expect(4, *app, "list")
    assert "schema.toml: the content is damaged, as a schema: line 16, column 1: " \
        "server.port and server_port have one variable, APP_SERVER_PORT" in done.err, done


# ---- the merged view against one that Python makes ----

VALUES = ("1", "'x'", "[1, {a = 2}]", "true", "{}", "2.5")


def random_table(chance, depth):
    parts = []
    for name in ("a", "b", "'c.d'"):
        if chance.random() < 0.3:
            continue
        value = random_table(chance, depth + 1) if depth < 3 and chance.random() < 0.5 \
            else chance.choice(VALUES)
        parts.append(f"{name} = {value}")
    return "\n".join(parts) + "\n" if depth == 0 else "{" + ", ".join(parts) + "}"


def merge(low, high):
    if not isinstance(low, dict) or not isinstance(high, dict):
        return high
    return {**low, **{key: merge(low[key], value) if key in low else value
                      for key, value in high.items()}}


def leaves(value, path=()):
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, path + (key,))
    else:
        yield path, value


@case
def the_merged_view_is_what_python_merges_and_what_each_key_gives():
    chance = random.Random(5)
    scopes = ("default", "global", "project", "local", "override")
    app = ["config", "--app", "app"]
    for scope in scopes:
        app += ["--file", f"{scope}={scope}.toml"]
    for _ in range(12):
        wanted = {}
        for scope in scopes:
            make(f"{scope}.toml", random_table(chance, 0))
            wanted = merge(wanted, tomllib.loads(Path(f"{scope}.toml").read_text()))
        assert json.loads(expect(0, *app, "list", "--json").out) == wanted
        every = {entry["key"]: entry for entry in
                 json.loads(expect(0, *app, "list", "--json", "--show-origin").out)}
        all_leaves = dict(leaves(wanted)) if wanted else {}
        assert len(every) == len(all_leaves)
        for path, value in chance.sample(sorted(all_leaves.items(), key=str),
                                         min(6, len(all_leaves))):
            done = expect(0, *app, "get", "--json", "-k", *path)
            assert json.loads(done.out) == value, (path, value, done)
    assert merge({"a": {"b": 1}}, {"a": 2}) == {"a": 2}  # the control of the control


@case
def ten_thousand_keys_are_listed_and_checked():
    make("g.toml", "".join(f"k{i} = {i}\n" for i in range(10000)))
    make("s.toml", "".join(f'[[key]]\nname = "k{i}"\ntype = "integer"\n' for i in range(10000)))
    app = ["config", "--app", "app", "--file", "global=g.toml", "--schema", "s.toml"]
    assert len(expect(0, *app, "list").out.splitlines()) == 10000
    prints("", *app, "check")
    changes(*app, "set", "--scope", "global", "k5000", "7")
    prints("7\n", *app, "get", "k5000")


@case
def sixteen_at_once_lose_nothing():
    app = home()
    make(app[-1], "".join(f'[[key]]\nname = "k{i}"\ntype = "integer"\n' for i in range(16)))
    running = [subprocess.Popen(["untorn", *app, "set", "--scope", "global", "--level", "cache",
                                 f"k{i}", str(i)]) for i in range(16)]
    assert [done.wait() for done in running] == [0] * 16
    wanted = {f"k{i}": i for i in range(16)}
    assert json.loads(untorn(*app, "list", "--json").out) == wanted


main()
