"""What a suite of this folder counts and prints."""

import sys


class Count:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0

    def case(self, sentence, problem):
        print(f"FAIL {sentence}: {problem}" if problem else f"ok   {sentence}")
        self.failed += bool(problem)
        self.passed += not problem

    def skip(self, sentence, reason):
        print(f"skip {sentence}: {reason}")
        self.skipped += 1

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        sys.exit(1 if self.failed or not self.passed else 0)
