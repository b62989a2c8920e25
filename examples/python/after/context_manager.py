"""The context of a conversation in four JSON files, which change together.

A save that is killed, wherever, leaves all four as they were or all four new; so does a power loss.
load() sees one save, never half of one, also while another process saves. If somebody put back one
of the files alone, load() raises untorn.MixedError. untorn.undo() of any of them takes all four
back to the save before.
"""

import json
from pathlib import Path

import untorn

FILES = ("messages", "metadata", "state", "global_context")


class ContextManager:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.messages = []
        self.metadata = {"message_count": 0}
        self.state = {}
        self.global_context = {}

    def add_message(self, role, content):
        self.messages.append({"role": role, "content": content})
        self.metadata["message_count"] = len(self.messages)

    def save(self):
        with untorn.transaction() as t:
            for name in FILES:
                t.write_json(self.folder / f"{name}.json", getattr(self, name))

    def load(self):
        contents = untorn.read_set(self.folder / f"{name}.json" for name in FILES)
        for name, content in zip(FILES, contents):
            if content is not None:
                setattr(self, name, json.loads(content))
