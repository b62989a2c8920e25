"""The context of a conversation in four JSON files, saved one after the other.

A save that is killed in between leaves messages.json of now beside metadata.json of before, or
a file that ends in the middle; and nothing tells the next load.
"""

import json
from pathlib import Path


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
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "messages.json", "w") as file:
            json.dump(self.messages, file, indent=2)
        with open(self.folder / "metadata.json", "w") as file:
            json.dump(self.metadata, file, indent=2)
        with open(self.folder / "state.json", "w") as file:
            json.dump(self.state, file, indent=2)
        with open(self.folder / "global_context.json", "w") as file:
            json.dump(self.global_context, file, indent=2)

    def load(self):
        if (self.folder / "messages.json").exists():
            with open(self.folder / "messages.json") as file:
                self.messages = json.load(file)
        if (self.folder / "metadata.json").exists():
            with open(self.folder / "metadata.json") as file:
                self.metadata = json.load(file)
        if (self.folder / "state.json").exists():
            with open(self.folder / "state.json") as file:
                self.state = json.load(file)
        if (self.folder / "global_context.json").exists():
            with open(self.folder / "global_context.json") as file:
                self.global_context = json.load(file)
