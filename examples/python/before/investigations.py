"""A map from targets to investigations, shared by every process on the machine.

Whoever looks into a target goes on with the investigation that is there. But the file is emptied
before it is written; a map that does not parse is taken for an empty one, which the next save makes
true; and of two who load, change and save at once, one loses its investigation.
"""

import json
import os
import uuid
from pathlib import Path


def load_investigations(path):
    """Absolute path of the target to the UUID of its investigation."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}
    except json.JSONDecodeError:
        return {}


def save_investigations(path, investigations):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(investigations, file, indent=2, ensure_ascii=False)
        file.write("\n")


def investigation_for(target, path):
    """The UUID of the target's investigation, whose folder lies beside the map."""
    folder = Path(path).parent
    target = os.path.realpath(target)
    investigations = load_investigations(path)
    name = investigations.get(target)
    if name is None or not (folder / name).is_dir():
        name = str(uuid.uuid4())
        (folder / name).mkdir(parents=True)
        investigations[target] = name
        save_investigations(path, investigations)
    return name
