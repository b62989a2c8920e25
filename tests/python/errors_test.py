#!/usr/bin/python3
"""Every status is an exception, and says what the system said."""

import errno
import os
import pickle
import re
from pathlib import Path
from unittest import mock

from support import Case, holder, end, main, untorn
from untorn import _errors, _untorn

HEADER = Path(os.environ["TESTS"]).parent / "include/untorn/status.h"
ROW = re.compile(r"X\(([A-Z_]+), (\d+), (\d+),")


def of_status(name, os_error=0):
    number = _untorn.STATUSES[name][0]
    return _errors.from_report(number, os_error, "step", "p: text", "p", "detail", ["created"], 7)


class Errors(Case):
    def test_the_list_is_that_of_the_header(self):
        rows = {name: int(number) for name, number, _ in ROW.findall(HEADER.read_text())}
        self.assertGreater(len(rows), 30)
        self.assertEqual(rows, {name: row[0] for name, row in _untorn.STATUSES.items()})
        self.assertEqual(rows.keys(), _errors.STATUSES.keys())

    def test_every_status_is_an_exception_with_all_that_is_known(self):
        for name, number, _ in ROW.findall(HEADER.read_text()):
            error = of_status(name)
            self.assertIsInstance(error, untorn.Error)
            self.assertEqual((error.status, error.path, error.detail, error.step, error.position),
                             (name, "p", "detail", "step", 7))
            self.assertEqual(str(error), "p: text")
            self.assertEqual(error.flags, ("created",))
            self.assertEqual(isinstance(error, untorn.NotSettledError), int(number) >= 100)
            if isinstance(error, OSError):
                self.assertTrue(error.errno, name)
                self.assertEqual(error.filename, "p")

    def test_what_the_system_said_is_errno(self):
        for name in _untorn.STATUSES:
            error = of_status(name, errno.EDQUOT)
            self.assertEqual(error.os_error, errno.EDQUOT)
            if isinstance(error, OSError):
                self.assertEqual(error.errno, errno.EDQUOT)

    def test_a_number_that_is_another_in_c_is_that_of_python(self):
        for number, name in ((_untorn.ELOOP, "ELOOP"), (_untorn.EWOULDBLOCK, "EWOULDBLOCK")):
            error = of_status("FAILED", number)
            self.assertEqual((error.errno, error.os_error), (getattr(errno, name),) * 2)
        with mock.patch.dict(_errors._OF_PYTHON, {114: 10062}):
            error = of_status("LINK_LOOP", 114)
            self.assertEqual((error.errno, error.os_error), (10062, 10062))

    def test_kinds_are_those_of_the_language(self):
        for name, kind in {"LOCKED": TimeoutError, "MISSING": FileNotFoundError,
                           "EXISTS": FileExistsError, "DENIED": PermissionError,
                           "NO_SPACE": OSError, "NO_KEY": KeyError, "TYPE": TypeError,
                           "INVALID": ValueError,
                           "NO_MEMORY": MemoryError}.items():
            self.assertIsInstance(of_status(name), kind)
        self.assertNotIsInstance(of_status("DAMAGED"), ValueError)

    def test_an_exception_can_be_handed_to_another_process(self):
        for name in _untorn.STATUSES:
            error = of_status(name)
            copy = pickle.loads(pickle.dumps(error))
            self.assertIs(type(copy), type(error))
            self.assertEqual((str(copy), copy.status, copy.flags), ("p: text", name, ("created",)))

    def test_a_status_that_is_not_known_is_an_error_nevertheless(self):
        error = _errors.from_report(99, 0, None, "text", "", "", [], None)
        self.assertIsInstance(error, untorn.Error)

    def test_the_system_is_quoted(self):
        os.mkdir("folder")
        with self.assertRaises(untorn.FileError) as caught:
            untorn.write_bytes("folder", b"")
        self.assertEqual(caught.exception.status, "NOT_A_FILE")
        with self.assertRaises(FileNotFoundError) as caught:
            untorn.read_bytes("nothing")
        self.assertEqual((caught.exception.errno, caught.exception.filename),
                         (errno.ENOENT, "nothing"))
        self.assertRegex(str(caught.exception), "^nothing: no such file")

    def test_a_lock_that_is_taken_names_its_holder(self):
        process = holder("a.json")
        with self.assertRaises(TimeoutError) as caught:
            untorn.write_json("a.json", 1, timeout=0)
        self.assertIsInstance(caught.exception, untorn.LockTimeout)
        self.assertIn(str(process.pid), str(caught.exception))
        end(process)


if __name__ == "__main__":
    main()
