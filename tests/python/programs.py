"""What the suites of the example programs share: the programs, by path."""

import importlib.util
import os
import unittest
from pathlib import Path

EXAMPLES = Path(os.environ["TESTS"]).parent / "examples/python"
NAMES = ("context_manager", "config_service", "skills_hub", "investigations")


def load(variant, name):
    """The program as a module: variant "before" or "after"."""
    spec = importlib.util.spec_from_file_location(f"{variant}_{name}",
                                                  EXAMPLES / variant / f"{name}.py")
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise unittest.SkipTest(f"needs the Python package {error.name}") from None
    return module


def files(folder="."):
    """Name to content of everything that is not untorn's own."""
    found = {}
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".untorn")]
        for name in names:
            path = Path(place, name)
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found
