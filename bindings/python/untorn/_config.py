"""A configuration in scopes, each a TOML or JSON file of its own."""

import json
import os
from collections import namedtuple
from collections.abc import Mapping

from . import _untorn, _values
from ._edits import key_of, pairs_of, setting, unsetting
from ._errors import NAMES, NoKeyError, UsageError
from ._files import _NOTHING
from ._joining import refuse_member
from ._options import choose, format_of, pack

_NOTHING_THERE = object()
SCOPES = {"default": _untorn.SCOPE_DEFAULT, "global": _untorn.SCOPE_GLOBAL,
          "project": _untorn.SCOPE_PROJECT, "local": _untorn.SCOPE_LOCAL,
          "environment": _untorn.SCOPE_ENVIRONMENT, "override": _untorn.SCOPE_OVERRIDE}
WRITTEN = {scope: SCOPES[scope] for scope in ("global", "project", "local")}

ConfigOrigin = namedtuple("ConfigOrigin", "scope path variable line column")
ConfigOrigin.__doc__ = """Where a value comes from. scope: "default", "global", "project", "local",
"environment" or "override". path: its file, or None; variable: of the environment, or None. line,
column: of the key in the file, from 1; 0 where there is no text."""

ConfigFinding = namedtuple("ConfigFinding", "status text origin")
ConfigFinding.__doc__ = """Something that Config.check() found. status: as of an Error, "MISFIT"."""


class ConfigEntry(namedtuple("ConfigEntry", "key value origin secret description misfit")):
    """One key of a configuration. key: as Config.get() takes it. secret: the schema says so; then
    the value is not in the repr. description: the schema's, or None. misfit: why the value is not
    what the schema asks for, or None."""

    __slots__ = ()

    def __repr__(self):
        shown = self._replace(value="********") if self.secret else self
        return super(ConfigEntry, shown).__repr__()


class Config:
    """config = untorn.Config("agents", schema="agents.schema.toml")

    The settings of an application: config["server.port"] is what the highest scope says that has
    the key. From the lowest: default (of the schema), global ($XDG_CONFIG_HOME/APP/config.toml),
    project (the nearest .APP/config.toml or APP.toml upward that you or root own), local (beside
    it), environment (variables that the schema names), override. Tables are merged key by key,
    anything else replaces what is below it.

    schema: a file as man untorn-schema(5) describes it; schema_text: the same as text. With one,
    what it does not allow is not written (UsageError), and a value that does not fit it is a
    DamagedError when it is read. paths: {scope: file} instead of those that would be looked for.
    directory: where the search for the project's file begins, else the working directory.
    environment: a dict instead of os.environ. overrides: {key: value}, the highest of all.
    format="json": the files that are looked for end with .json.

    Files, schema and environment are looked for once, here. The files themselves are read again
    when they have changed: an object that is kept sees what others write, as it was at one moment
    between two commits.

    Threads: any number may use one object. Those who read wait for each other for microseconds,
    never for one who writes; those who write wait for each other, within their timeout.
    Processes: whatever they and the threads set at the same time, nothing is lost. A child after a
    fork may go on with the object; it looks for the files again.
    """

    def __init__(self, app, *, schema=None, schema_text=None, paths=None, directory=None,
                 environment=None, overrides=None, state_dir=None, format="toml"):
        if schema is not None and schema_text is not None:
            raise ValueError("the schema is a file or a text, not both")
        self.app = app
        self._setup = (
            app.encode("utf-8"), optional_path(schema),
            None if schema_text is None else schema_text.encode("utf-8"),
            scope_paths(paths or {}), optional_path(directory or working_directory()),
            packed_environment(environment),
            tuple(setting(key, value, _untorn.TOML) for key, value in (overrides or {}).items()),
            optional_path(state_dir), format_of(b"", format))
        self._open()

    def _open(self):
        self._process, self._handle = os.getpid(), _untorn.config_open(*self._setup)

    @property
    def _config(self):
        if self._process != os.getpid():
            self._open()
        return self._handle

    def __repr__(self):
        return f"untorn.Config({self.app!r})"

    # ---- reading ----

    def get(self, key, default=_NOTHING):
        """The value, as Python has it: a str, int, float, bool, datetime, list; of a table a dict
        with everything that the scopes have in it. `default` if no scope has the key, else
        NoKeyError. A key is a str, dotted or a JSON Pointer, or a list of raw segments."""
        try:
            return self._find(key)[0]
        except NoKeyError:
            if default is _NOTHING:
                raise
            return default

    def __getitem__(self, key):
        return self._find(key)[0]

    def __contains__(self, key):
        return self.get(key, _NOTHING_THERE) is not _NOTHING_THERE

    def origin(self, key):
        """The ConfigOrigin of the value: which scope decides, and where. Of a table the highest
        scope that has it."""
        return self._find(key)[1]

    def _find(self, key):
        at = ((_untorn.SET, key_of(key), None, _untorn.AS_JSON),)
        data, origin = _untorn.config_get(self._config, at)
        return _values.untag(json.loads(data)), ConfigOrigin(*origin)

    def entries(self):
        """Everything, as a list of ConfigEntry: the values that are no tables, those of the lower
        scopes first. Also those that do not fit the schema, which get() refuses."""
        return [ConfigEntry(key, _values.untag(json.loads(data)), ConfigOrigin(*origin), *rest)
                for key, data, origin, *rest in _untorn.config_list(self._config)]

    def items(self):
        """(key, value) of entries()."""
        return [(entry.key, entry.value) for entry in self.entries()]

    def __iter__(self):
        return iter([entry.key for entry in self.entries()])

    def as_dict(self):
        """Everything as one dict, tables within tables."""
        return self.get([])

    # ---- writing ----

    def set(self, key, value=_NOTHING, *, scope, **options):
        """Sets one value, or several, all or none, in the file of one scope: global, project or
        local. set("server.port", 8080, scope="global"), set({"a.b": 1, "c": 2}, scope="local").

        The schema is asked first: UsageError for a key it does not know, a wrong type, a value out
        of range, a scope that the key may not be set in. Comments and layout stay. Who finds the
        file's lock taken has its change made by the one who has it, together with those of others.
        A file that gets a secret is for its owner alone from then on. Options: level, timeout,
        keep, strict, state_dir, as of write_bytes().
        """
        self._write(self._rows(scope, pairs_of(key, value)), options)

    def set_in(self, values, **options):
        """Of several scopes, all or none: set_in({"global": {"a": 1}, "project": {"b.c": 2}})."""
        self._write([row for scope, pairs in values.items()
                     for row in self._rows(scope, pairs.items())], options)

    def unset(self, *keys, scope, **options):
        """Removes values from the file of one scope; NoKeyError if one is not there, and then none
        is removed. What a lower scope says counts again."""
        self._write([(scope, unsetting(key)) for key in keys], options)

    def preview(self, key, value=_NOTHING, *, scope):
        """The text that the scope's file would have after set(); nothing is written."""
        edits = tuple(edit for _, edit in self._rows(scope, pairs_of(key, value)))
        return _untorn.config_preview(self._config, WRITTEN[scope], edits).decode("utf-8")

    def _rows(self, scope, pairs):
        path = _untorn.config_path(self._config, choose("scope", scope, WRITTEN))
        format = _untorn.format_of_path(path) or _untorn.TOML
        return [(scope, setting(key, value, format)) for key, value in pairs]

    def _write(self, rows, options):
        packed = pack(**options)
        if not rows:
            return
        scopes, edits = zip(*((choose("scope", scope, WRITTEN), edit) for scope, edit in rows))
        for scope in frozenset(scopes):
            refuse_member(_untorn.config_path(self._config, scope))
        _untorn.config_write(self._config, scopes, edits, packed)

    # ---- looking ----

    def path(self, scope):
        """The file of a scope, whether it is there or not; MissingError if the scope has none."""
        return os.fsdecode(_untorn.config_path(self._config, number_of(scope)))

    @property
    def ignored(self):
        """What was not obeyed, and why: "PATH: belongs to user 1001, not to us or root"."""
        return _untorn.config_ignored(self._config)

    def check(self):
        """Everything that is wrong, each scope by itself, as a list of ConfigFinding: files that do
        not parse, unknown keys, types, ranges, secrets that others can read."""
        return [ConfigFinding(NAMES[status], text, ConfigOrigin(*origin))
                for status, text, origin in _untorn.config_check(self._config)]


def number_of(scope):
    return choose("scope", scope, SCOPES)


def optional_path(path):
    """Absolute, so that it stays the same file when the working directory changes."""
    return None if path is None else os.path.abspath(os.fsencode(path))


def working_directory():
    try:
        return os.getcwd()
    except OSError:
        return None  # it was removed; the library tells, where it matters


def scope_paths(paths):
    for scope in paths:
        if number_of(scope) == _untorn.SCOPE_ENVIRONMENT:
            raise UsageError("the environment is no file: give a dict as `environment`")
    return tuple(optional_path(paths.get(scope)) for scope in SCOPES)


def packed_environment(variables):
    if variables is None and os.name == "nt":
        return None  # os.environ has capitals only; the system finds names in any case
    if variables is None:
        variables = os.environ
    if not isinstance(variables, Mapping):
        raise TypeError(f"environment is a dict; not {variables!r}")
    return tuple(os.fsencode(name) + b"=" + os.fsencode(value)
                 for name, value in variables.items())
