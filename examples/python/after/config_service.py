"""Settings in one TOML file for each scope: each write changes its values and nothing else.

Threads and processes: all methods may be called from anywhere at any time. A write has the lock
from before it reads its file until after it has written it, so nothing that another one sets
meanwhile is lost; the file is replaced whole, and is on the disk when the call returns. Inside
untorn.Lock(path) the calls nest, so that several of them are one step for others. Every wait ends:
untorn.LockTimeout names who has the lock. Readers take none, and see the file as it was before a
write or after it.
"""

from pathlib import Path

import untorn

SCOPES = ("global", "project", "local")


class ConfigService:
    def __init__(self, folder):
        self.folder = Path(folder)

    def read_config(self, scope="global"):
        return untorn.read_toml(self._path(scope), default={})

    def write_config(self, values):
        """Brings these values into the global file; None removes one."""
        self.write_scoped_config("global", values)

    def write_scoped_config(self, scope, values):
        untorn.merge(self._path(scope), values)

    def set_value(self, key, value, scope="global"):
        untorn.set(self._path(scope), key.split("."), value)

    def _path(self, scope):
        if scope not in SCOPES:
            raise ValueError(f"no scope {scope!r}")
        return self.folder / f"{scope}.toml"
