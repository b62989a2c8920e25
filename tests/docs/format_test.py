#!/usr/bin/python3
"""docs/format holds for the bytes that the command really leaves: the tables of the documents are
read and compared with a disk."""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs/format"
UNTORN = os.environ["UNTORN"]
HEADER = 512


def untorn(*words, data=b"", status=0):
    done = subprocess.run([UNTORN, *words], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != status:
        raise AssertionError(f"untorn {words}: {done.returncode} {done.stderr}")
    return done.stdout


def content_hash(data):
    return bytes.fromhex(untorn("hash", "-", data=data).decode())


def commit(**contents):
    """All files at once, by the library itself."""
    library = ctypes.CDLL(f"{os.environ['BUILD']}/libuntorn.so")
    save = ctypes.c_void_p()
    done = library.untorn_transaction_begin(None, ctypes.byref(save), None)
    for name, data in contents.items():
        done = done or library.untorn_transaction_put(save, name.encode(), data,
                                                      ctypes.c_size_t(len(data)), None, None)
    done = done or library.untorn_transaction_commit(save, None)
    library.untorn_transaction_free(save)
    require(done == 0, f"the commit gives {done}")


def documented_fields(text=None):
    """Field to (offset, size), from a table: that of inplace.md if no other is given."""
    text = text or (DOCS / "inplace.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| (\d+) \| ([\w ]+) \|", text, re.M)
    return {name: (int(offset), int(size)) for offset, size, name in rows}


def require(condition, what):
    if not condition:
        raise AssertionError(what)


def check_contiguous(fields, length=HEADER):
    """The fields follow each other without a gap and fill the header."""
    end = 0
    for name, (offset, size) in fields.items():
        require(offset == end, f"{name} begins at {offset}, not {end}")
        end = offset + size
    require(end == length, f"the table ends at {end}")


def check_journal(fields, data, name, inodes, active, old, new):
    """The bytes of a journal, as the document says them. Its sequence number."""
    def raw(field):
        offset, size = fields[field]
        return data[offset:offset + size]

    def number(field):
        return int.from_bytes(raw(field), "little")

    wanted = {"version": 1, "active": active, "old size": len(old),
              "new size": len(new), "own inode": inodes[0], "target inode": inodes[1]}
    for field, value in wanted.items():
        require(number(field) == value, f"{field} is {number(field)}, not {value}")
    require(raw("magic") == b"untorn in-place\n", f"magic is {raw('magic')}")
    require(raw("old hash") == content_hash(old), "old hash")
    require(raw("new hash") == content_hash(new), "new hash")
    require(raw("name").rstrip(b"\0") == name.encode(), f"name is {raw('name')}")
    require(not any(raw("unused")), "unused is not zero")
    require(raw("check") == content_hash(data[:fields["check"][0]]), "check")
    require(data[HEADER:] == (old + new if active else b""), "the body")
    return number("sequence")


def inodes_of(name):
    return os.stat(f".untorn/inplace/{name}").st_ino, os.stat(name).st_ino


def journal_of(name):
    return Path(f".untorn/inplace/{name}").read_bytes()


def a_clear_journal_is_as_documented():
    fields = documented_fields()
    check_contiguous(fields)
    untorn("write", "f", data=b"first\n")
    untorn("write", "--keep-inode", "f", data=b"second\n")
    sequence = check_journal(fields, journal_of("f"), "f", inodes_of("f"), 0, b"first\n",
                             b"second\n")
    untorn("write", "--keep-inode", "f", data=b"the third, longer\n")
    then = check_journal(fields, journal_of("f"), "f", inodes_of("f"), 0, b"second\n",
                         b"the third, longer\n")
    require(then == (sequence + 1) % 2**64, f"sequence is {then} after {sequence}")


def an_active_journal_is_as_documented():
    faultat = Path(os.environ["BUILD"]) / "tests/faultat"
    traced = faultat.exists() and subprocess.run([faultat, "--count", "--", "true"], check=False,
                                                 stderr=subprocess.DEVNULL).returncode == 0
    if not traced:
        return "system calls cannot be traced here"
    old, new = b"old " * 500, b"newer " * 900
    untorn("write", "f", data=old)
    subprocess.run([faultat, "--only", "pwrite64", "--match", os.path.realpath("f"),
                    "--kill-before", "2", "--", UNTORN, "write", "--keep-inode", "f"], input=new,
                   stderr=subprocess.DEVNULL, check=False)
    check_journal(documented_fields(), journal_of("f"), "f", inodes_of("f"), 1, old, new)
    require(untorn("read", "f") == old, "a reader is not served the old bytes")
    require(b"stopped half way" in untorn("check", status=4), "check does not list it")
    untorn("check", "--repair")
    require(Path("f").read_bytes() == new, "recovery did not write the new content")
    return None


def slot_tables(text=None):
    """The tables of journal.md: header, member, directory. A name that comes twice (before, after)
    is told apart by what stands beside it."""
    text = text or (DOCS / "journal.md").read_text(encoding="utf-8")
    parts = [text.split(f"## {title}\n")[1].split("\n## ")[0]
             for title in ("The header", "A member", "A directory")]
    parts[1] = re.sub(r"\| (size|hash) \| (of the new|and content|size)",
                      lambda m: f"| {m[1]} {'after' if 'new' in m[2] else 'before'} | {m[2]}",
                      parts[1])
    return [documented_fields(part) for part in parts]


def check_slot(tables, data, inode, files):
    """The slot of a finished commit of new versions of `files`: name to (old, new)."""
    head, member, _ = tables
    def raw(fields, name, at=0):
        offset, size = fields[name]
        return data[at + offset:at + offset + size]
    def number(*words):
        return int.from_bytes(raw(*words), "little")
    end = HEADER + number(head, "body size")
    wanted = {"version": 2, "state": 3, "own inode": inode, "members": len(files),
              "directories": 0, "participant": 0, "rooted": 1,
              "directory inode": os.stat(".").st_ino}
    for field, value in wanted.items():
        require(number(head, field) == value, f"{field} is {number(head, field)}, not {value}")
    require(raw(head, "magic") == b"untorn set slot\n", "magic")
    require(raw(head, "check") == content_hash(data[:head["check"][0]]), "check")
    require(raw(head, "body hash") == content_hash(data[HEADER:end]), "body hash")
    at, content = HEADER, HEADER + number(head, "records size")
    for name, (old, new) in files.items():
        length = sum(member[field][1] for field in member)
        texts = data[at + length:at + length + number(member, "name size", at)]
        require(texts == name.encode(), f"{texts} is not {name}")
        wanted = {"kind": 1, "hashed": 1, "inlined": 1, "in place": 0, "size before": len(old),
                  "size after": len(new), "mode": os.stat(name).st_mode & 0o7777,
                  "owner": os.getuid()}
        for field, value in wanted.items():
            require(number(member, field, at) == value, f"{field} of {name}")
        require(raw(member, "hash before", at) == content_hash(old), "hash before")
        require(raw(member, "hash after", at) == content_hash(new), "hash after")
        require(data[content:content + len(new)] == new, "the new bytes")
        content += len(new)
        at += length + len(name) + number(member, "stage size", at)
    require(content == end, "the body ends elsewhere")


def a_slot_is_as_documented():
    tables = slot_tables()
    for table, length in zip(tables, (HEADER, 88, 44)):
        check_contiguous(table, length)
    commit(a=b"1\n", b=b"one\n")
    commit(a=b"2\n", b=b"second\n")
    path = Path(".untorn/journal/slot")
    files = {"a": (b"1\n", b"2\n"), "b": (b"one\n", b"second\n")}
    check_slot(tables, path.read_bytes(), path.stat().st_ino, files)
    text = (DOCS / "journal.md").read_text(encoding="utf-8")
    for wrong in (text.replace("| own inode |", "| own birth |", 1), # the negative controls
                  text.replace("| 8 | size | of the new", "| 8 | inode | of the new", 1)):
        try:
            check_slot(slot_tables(wrong), path.read_bytes(), path.stat().st_ino, files)
        except (AssertionError, KeyError):
            continue
        raise AssertionError("a table that is wrong")


def a_record_of_a_set_is_as_documented():
    text = (DOCS / "layout.md").read_text(encoding="utf-8").split("**set/.**")[1]
    rows = re.findall(r"^\| (\d+) \| (\d+) \| ", text, re.M)
    commit(a=b"1\n", b=b"one\n")
    commit(b=b"two\n", a=b"2\n")
    require(len(os.listdir(".untorn/set")) == 1, os.listdir(".untorn/set"))
    data = Path(".untorn/set", os.listdir(".untorn/set")[0]).read_bytes()
    magic, version, count, sequence, when, ident, size = (
        data[int(offset):int(offset) + int(length)] for offset, length in rows)
    slot, head = Path(".untorn/journal/slot").read_bytes(), slot_tables()[0]
    require(magic == b"untorn file set\n", magic)
    require([int.from_bytes(x, "little") for x in (version, count)] == [1, 2], "version or count")
    require(sequence == slot[head["sequence"][0]:][:8] and ident == slot[head["id"][0]:][:16],
            "not the slot's numbers")
    require(abs(int.from_bytes(when, "little") - time.time()) < 1000, "when")
    changes = ((b"a", b"1\n", b"2\n"), (b"b", b"one\n", b"two\n"))
    files = b"".join(b"\x03\x01\0\0" + content_hash(old) + content_hash(new) + name
                     for name, old, new in changes)
    require(data[64:-16] == files and int.from_bytes(size, "little") == len(files), "the files")
    require(data[-16:] == content_hash(data[:-16]), "the hash at the end")


def a_wrong_table_would_be_noticed():
    """The negative control."""
    text = (DOCS / "inplace.md").read_text(encoding="utf-8")
    untorn("write", "f", data=b"first\n")
    untorn("write", "--keep-inode", "f", data=b"second, longer\n")
    swapped = text.replace("| 8 | old size |", "| 8 | a size |").replace(
        "| 8 | new size |", "| 8 | old size |").replace("| 8 | a size |", "| 8 | new size |")
    try:
        check_journal(documented_fields(swapped), journal_of("f"), "f", inodes_of("f"), 0,
                      b"first\n", b"second, longer\n")
    except AssertionError:
        pass
    else:
        raise AssertionError("two fields that were swapped")
    try:
        check_contiguous(documented_fields(text.replace("| 351 | 145 |", "| 350 | 145 |")))
    except AssertionError:
        return
    raise AssertionError("an offset that is off by one")


def the_folder_holds_what_the_layout_lists():
    text = (DOCS / "layout.md").read_text(encoding="utf-8")
    listing = text.split("## What is in it\n\n")[1].split("\n\n")[0]
    documented = {re.split(r"[/ ]", line.strip())[0] for line in listing.splitlines()}
    untorn("write", "f", data=b"a\n")
    untorn("lock", "f", "--", UNTORN, "write", "--keep-inode", "f", "f")
    Path("l.jsonl").write_text('{"torn":')
    untorn("append", "l.jsonl", data=b"{}\n")
    commit(f=b"b\n", g=b"c\n")
    subprocess.run([UNTORN, "edit", "f"], check=False, stderr=subprocess.DEVNULL,
                   env={**os.environ, "VISUAL": "sh -c 'echo z >$0; exit 1'"})
    present = {re.sub(r"^draft-.{6}$", "draft-<6>", name) for name in os.listdir(".untorn")}
    require(present == documented, f"{present ^ documented}")
    require(Path(".untorn/.gitignore").read_bytes() == b"*\n", ".gitignore")
    require(Path(".untorn/format").read_bytes() == b"1\n", "format")
    require(os.listdir(".untorn/inner") == ["f.1"], os.listdir(".untorn/inner"))
    tail = content_hash(b'{"torn":').hex()[:16]
    require(os.listdir(".untorn/kept") == [f"tail-l.jsonl.{tail}"], os.listdir(".untorn/kept"))
    require(sorted(os.listdir(".")) == [".untorn", "f", "g", "l.jsonl"], os.listdir("."))


def a_lock_file_is_as_documented():
    text = (DOCS / "layout.md").read_text(encoding="utf-8")
    keys = re.findall(r"`(\w+)`", text.split("The keys:")[1].split("unknown key")[0])
    with subprocess.Popen([UNTORN, "lock", "f", "--", "sleep", "60"]) as holder:
        try:
            for _ in range(2000):
                if subprocess.run([UNTORN, "who", "f"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, check=False).returncode == 0:
                    break
                time.sleep(0.01)
            untorn("write", "--wait", "0.05", "f", data=b"x\n", status=6)
            data = Path(".untorn/lock/f").read_bytes()
        finally:
            holder.terminate()
    record = data.split(b"\0")[0].decode()
    require(record.endswith("\n") and len(record) < 1024, repr(record))
    present = [line.split(" ", 1)[0] for line in record.splitlines()]
    require(sorted(present) == sorted(keys), f"{present} and {keys}")
    require(f"pid {holder.pid}\n" in record, record)
    require(data[1024:] == b"ws", f"{data[1024:]}")


def a_long_name_is_hashed_as_documented():
    name = "n" * 250
    untorn("write", name, data=b"a\n")
    require(os.listdir(".untorn/lock") == [name], os.listdir(".untorn/lock"))
    Path("l" * 240 + ".jsonl").write_text("[")
    untorn("append", "l" * 240 + ".jsonl", data=b"1\n")
    kept = os.listdir(".untorn/kept")[0]
    hashed = content_hash(("l" * 240 + ".jsonl").encode()).hex()
    require(kept.startswith(f"tail-%{hashed}."), kept)


def a_state_folder_has_the_name_that_is_documented():
    os.makedirs("files")
    untorn("write", "--state-dir", "state", "files/f", data=b"a\n")
    wanted = content_hash(os.path.realpath("files").encode()).hex()
    require(os.listdir("state") == [wanted], os.listdir("state"))
    os.mkdir("sticky")
    os.chmod("sticky", 0o1777)
    untorn("write", "sticky/f", data=b"a\n")
    folder = f"sticky/.untorn-{os.getuid()}"
    require(os.stat(folder).st_mode & 0o7777 == 0o700, folder)


TESTS = [a_clear_journal_is_as_documented, an_active_journal_is_as_documented,
         a_slot_is_as_documented, a_record_of_a_set_is_as_documented,
         a_wrong_table_would_be_noticed, the_folder_holds_what_the_layout_lists,
         a_lock_file_is_as_documented, a_long_name_is_hashed_as_documented,
         a_state_folder_has_the_name_that_is_documented]


def main():
    passed = failed = skipped = 0
    for test in TESTS:
        sentence = test.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            try:
                why = test()
            except AssertionError as problem:
                failed += 1
                print("FAIL", sentence)
                print("    ", problem)
            else:
                passed, skipped = passed + (why is None), skipped + (why is not None)
                print(f"skip {sentence}: {why}" if why else f"ok  {sentence}")
            os.chdir("/")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
