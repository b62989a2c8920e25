"""A map from targets to investigations, shared by every process on the machine.

Whoever looks into a target goes on with the investigation that is there; of however many who ask at
once, one begins it and all get it. A map that does not parse raises untorn.DamagedError, which has
the last whole version, and is never replaced.
"""

import os
import uuid
from pathlib import Path

import untorn


def load_investigations(path):
    """Absolute path of the target to the UUID of its investigation."""
    return untorn.read_json(path, default={})


def save_investigations(path, investigations):
    untorn.update(path, lambda _: investigations)


def investigation_for(target, path):
    """The UUID of the target's investigation, whose folder lies beside the map."""
    folder = Path(path).parent

    def begin():
        name = str(uuid.uuid4())
        (folder / name).mkdir(parents=True)
        return name

    return untorn.ensure(path, [os.path.realpath(target)], begin,
                         valid=lambda name: (folder / name).is_dir())
