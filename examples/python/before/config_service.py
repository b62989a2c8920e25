"""Settings in one TOML file for each scope: loaded, changed and written back, comments and all.

Of two processes that set a value at the same time, the later one writes the file without the
other's value; and who is killed while writing leaves half a file.
"""

from pathlib import Path

import tomlkit

SCOPES = ("global", "project", "local")


class ConfigService:
    def __init__(self, folder):
        self.folder = Path(folder)

    def read_config(self, scope="global"):
        return self._load(scope).unwrap()

    def write_config(self, values):
        """Brings these values into the global file; None removes one."""
        self.write_scoped_config("global", values)

    def write_scoped_config(self, scope, values):
        document = self._load(scope)
        self._merge(document, values)
        self._save(scope, document)

    def set_value(self, key, value, scope="global"):
        for name in reversed(key.split(".")):
            value = {name: value}
        self.write_scoped_config(scope, value)

    def _path(self, scope):
        if scope not in SCOPES:
            raise ValueError(f"no scope {scope!r}")
        return self.folder / f"{scope}.toml"

    def _load(self, scope):
        path = self._path(scope)
        if not path.exists():
            return tomlkit.document()
        with open(path) as file:
            return tomlkit.load(file)

    def _save(self, scope, document):
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self._path(scope), "w") as file:
            tomlkit.dump(document, file)

    def _merge(self, table, values):
        for name, value in values.items():
            if value is None:
                table.pop(name, None)
            elif isinstance(value, dict):
                if not isinstance(table.get(name), dict):
                    table[name] = tomlkit.table()
                self._merge(table[name], value)
            else:
                table[name] = value
