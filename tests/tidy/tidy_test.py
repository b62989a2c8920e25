#!/usr/bin/python3
"""Runs the tidy checks on the tree, and each of them on planted violations first."""

import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import exports  # noqa: E402
import invariants  # noqa: E402
import layers  # noqa: E402
import layout  # noqa: E402
import modules  # noqa: E402
import unreached  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def find_in_planted(check, tree):
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        for name, content in tree.items():
            file = root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        exports.plant(root)
        return check.find(root)


def problems_of(check):
    problems = [f"does not catch {sorted(tree.items())}" for tree in check.planted
                if not find_in_planted(check, tree)]
    problems += [f"should not mind: {line}" for line in find_in_planted(check, check.fine)]
    return problems + check.find(ROOT)


def main():
    passed = failed = 0
    for module in (layers, layout, invariants, modules, exports, unreached):
        for check in module.CHECKS:
            problems = problems_of(check)
            if problems:
                failed += 1
                print("FAIL", check.sentence)
                print("\n".join(f"     {problem}" for problem in problems))
            else:
                passed += 1
                print("ok ", check.sentence)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
