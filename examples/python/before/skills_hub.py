"""Six places of a hub of skills that write their state with write_text.

write_text empties the file first. Who is killed then, or finds the disk full, leaves it empty or
half written: the next load raises a JSON error, and what depends on the store is broken. Two who
load, change and save at the same time lose what one of them did.
"""

import json
import time
from pathlib import Path


class EnvironmentStore:
    """Names of execution environments, each with what it is made of."""

    def __init__(self, path):
        self.path = Path(path)

    def load(self):
        if not self.path.exists():
            return {}
        return json.loads(self.path.read_text(encoding="utf-8"))

    def save(self, data):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        self.path.write_text(text, encoding="utf-8")

    def set(self, name, env):
        environments = self.load()
        environments[name] = env
        self.save(environments)


class SkillsRegistry:
    """Which skills are installed."""

    def __init__(self, path):
        self.path = Path(path)

    def load(self):
        if not self.path.exists():
            return {"version": 1, "installed": {}}
        return json.loads(self.path.read_text(encoding="utf-8"))

    def save(self, data):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        self.path.write_text(text, encoding="utf-8")

    def install(self, name, info):
        registry = self.load()
        registry["installed"][name] = info
        self.save(registry)

    def uninstall(self, name):
        registry = self.load()
        registry["installed"].pop(name, None)
        self.save(registry)


class TapsRegistry:
    """The sources that skills come from."""

    def __init__(self, path):
        self.path = Path(path)

    def load(self):
        if not self.path.exists():
            return {"taps": []}
        return json.loads(self.path.read_text(encoding="utf-8"))

    def save(self, data):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
        self.path.write_text(text, encoding="utf-8")

    def add(self, tap):
        registry = self.load()
        if tap not in registry["taps"]:
            registry["taps"].append(tap)
            self.save(registry)

    def remove(self, tap):
        registry = self.load()
        if tap in registry["taps"]:
            registry["taps"].remove(tap)
            self.save(registry)


class IndexCache:
    """What can be fetched again. Too old or damaged is as good as not there."""

    def __init__(self, path, ttl):
        self.path = Path(path)
        self.ttl = ttl

    def get(self):
        try:
            if time.time() - self.path.stat().st_mtime > self.ttl:
                return None
            return json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError):
            return None

    def put(self, index):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")


def write_summary(path, text):
    """What a run has to say, in short."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_full(path, text):
    """Everything it printed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
