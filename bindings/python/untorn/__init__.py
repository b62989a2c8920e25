"""untorn: save plain files so that nothing is lost.

    untorn.write_json("state.json", state)          whole or not at all, also after a power loss
    untorn.set("app.toml", "server.port", 8080)     one key; comments stay; no writer is lost
    untorn.update("n.json", lambda n: (n or 0) + 1) read, change, replace, under one lock
    with untorn.edit("app.toml") as doc: ...        the same as a block
    with untorn.transaction() as t: ...             several files, all or none
    with untorn.open("out.csv", "w") as file: ...   appears when it is whole, or never
    untorn.undo("state.json")                       and back
    untorn.Config("app")["server.port"]             settings of user, project and environment

Every wait is bounded (timeout, 10 s unless said otherwise), and Ctrl-C ends it. Everything that is
raised is an untorn.Error or what the standard library raises for wrong arguments.
"""

from ._config import Config, ConfigEntry, ConfigFinding, ConfigOrigin
from ._edits import edit, ensure, get, merge, patch, set, unset, update
from ._errors import (ChangedError, DamagedError, DeniedError, Error, ExistsError, FileError,
                      LockTimeout, MissingError, MixedError, NoKeyError, NotSettledError,
                      OutOfMemory, UsageError, ValueTypeError)
from ._files import (append, hash, read_bytes, read_json, read_text, read_toml, write_bytes,
                     write_json, write_text)
from ._history import Version, history, read_version, restore, undo
from ._lock import Holder, Lock, who
from ._open import open
from ._transaction import Transaction, read_set, replace, transaction
from ._untorn import VERSION as __version__

__all__ = [
    "ChangedError", "Config", "ConfigEntry", "ConfigFinding", "ConfigOrigin", "DamagedError",
    "DeniedError", "Error", "ExistsError", "FileError", "Holder", "Lock", "LockTimeout",
    "MissingError", "MixedError", "NoKeyError", "NotSettledError", "OutOfMemory",
    "Transaction", "UsageError", "ValueTypeError", "Version",
    "append", "edit", "ensure", "get", "hash", "history", "merge", "open", "patch",
    "read_bytes", "read_json", "read_set", "read_text", "read_toml", "read_version", "replace",
    "restore", "set", "transaction", "undo", "unset", "update", "who", "write_bytes",
    "write_json", "write_text",
]
