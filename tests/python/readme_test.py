#!/usr/bin/python3
"""The examples of the package's page run, one after the other, as they stand there."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from support import PACKAGE, WINDOWS, Case, main, start, end, untorn

ROOT = Path(os.environ["TESTS"]).parent
PAGE = (ROOT / "bindings/python/README.md").read_text()


class Page(Case):
    def test_the_examples_run(self):
        examples = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
        self.assertGreater(len(examples), 5)
        end(start("\n".join(examples)))
        with self.assertRaises(AssertionError):
            end(start("assert False"))

    def test_the_example_of_the_first_page_runs(self):
        # Not marked `python`, which is run in every build, also in those without the package.
        example = re.search(r"^```py\n(.*?)^```$", (ROOT / "README.md").read_text(),
                            re.M | re.S)[1]
        end(start(example))
        self.assertEqual(untorn.read_toml("app.toml"), {"server": {"port": 8081}})

    @unittest.skipIf(WINDOWS, "the command is for a shell of Unix")
    def test_the_command_prints_what_the_page_says(self):
        command, printed = re.search(r"^\$ PYTHONPATH=build/python (.*)\n(.*)$", PAGE,
                                     re.M).groups()
        done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE), "PATH":
                                   f"{Path(sys.executable).parent}:{os.environ['PATH']}"})
        self.assertEqual(done.stdout, printed + "\n")

    def test_every_exception_is_on_the_page(self):
        for name in untorn.__all__:
            kind = getattr(untorn, name)
            if isinstance(kind, type) and issubclass(kind, untorn.Error):
                self.assertTrue(f"`{name}`" in PAGE or name in ("Error", "OutOfMemory"), name)


if __name__ == "__main__":
    main()
