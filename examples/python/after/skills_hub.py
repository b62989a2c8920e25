"""Six places of a hub of skills that write their state, each file whole or not at all.

Whoever is killed, or finds the disk full, leaves the file as it was, also where its name is a link
to another disk. Mode and owner stay. What two change at the same time, in threads or processes, is
both there. A store that others damaged is never overwritten: untorn.DamagedError has its last whole
version.
"""

import json
import time
from pathlib import Path

import untorn


class _Store:
    """A JSON file that several may change at once."""

    def __init__(self, path):
        self.path = Path(path)

    def load(self):
        return untorn.read_json(self.path, default=self._empty())

    def save(self, data):
        untorn.write_text(self.path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")

    def _edit(self):
        return untorn.edit(self.path, default=self._empty())

    def _empty(self):
        return {}


class EnvironmentStore(_Store):
    """Names of execution environments, each with what it is made of."""

    def set(self, name, env):
        with self._edit() as environments:
            environments[name] = env


class SkillsRegistry(_Store):
    """Which skills are installed."""

    def install(self, name, info):
        with self._edit() as registry:
            registry["installed"][name] = info

    def uninstall(self, name):
        with self._edit() as registry:
            registry["installed"].pop(name, None)

    def _empty(self):
        return {"version": 1, "installed": {}}


class TapsRegistry(_Store):
    """The sources that skills come from."""

    def add(self, tap):
        with self._edit() as registry:
            if tap not in registry["taps"]:
                registry["taps"].append(tap)

    def remove(self, tap):
        with self._edit() as registry:
            if tap in registry["taps"]:
                registry["taps"].remove(tap)

    def _empty(self):
        return {"taps": []}


class IndexCache:
    """What can be fetched again. Too old or damaged is as good as not there."""

    def __init__(self, path, ttl):
        self.path = Path(path)
        self.ttl = ttl

    def get(self):
        try:
            if time.time() - self.path.stat().st_mtime > self.ttl:
                return None
            return untorn.read_json(self.path)
        except (OSError, untorn.DamagedError):
            return None

    def put(self, index):
        untorn.write_json(self.path, index, indent=None, ensure_ascii=False, level="cache")


def write_summary(path, text):
    """What a run has to say, in short."""
    untorn.write_text(path, text)


def write_full(path, text):
    """Everything it printed."""
    untorn.write_text(path, text)
