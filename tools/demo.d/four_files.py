"""Report A: a context of four files, saved one after the other."""

import os

import trials
from trials import MIXED, WHOLE

TITLE = "A context in four files"
STORY = """A conversation is kept in four files that belong together: its messages, their number,
a state, a global context. The program saves one file after the other. Killed in between, it
leaves new messages beside the old number, or a file that ends in the middle, and the next start
does not notice. With untorn the four are one commit: all old or all new, whenever the kill
comes, and a reader never sees two versions at once."""
REMARK = """With untorn too a kill between two of the renames leaves some files new and some old.
Whoever loads next through untorn finishes that first, so load() finds them whole; a program that
reads the files by itself, before that, can meet them so."""
MESSAGES = 90
KILLS = 30


class Context(trials.Subject):
    files = ("messages.json", "metadata.json", "state.json", "global_context.json")
    call = "save()"

    def __init__(self, folder, program):
        super().__init__(folder)
        self.manager = program.ContextManager

    def write(self, version):
        context = self.manager(self.folder)
        for number in range(MESSAGES + version % 7):
            context.add_message("user", f"message {number} of version {version}, and what it says: "
                                        "one more thing that must not be forgotten")
        for part in (context.metadata, context.state, context.global_context):
            part["version"] = version
        context.save()

    def look(self):
        context = self.manager(self.folder)
        try:
            context.load()
            versions = {int(context.messages[0]["content"].split()[4].rstrip(",")),
                        context.metadata["version"], context.state["version"],
                        context.global_context["version"]}
        except Exception:
            paths = (os.path.join(self.folder, name) for name in self.files)
            return [next((trials.wrong(path) for path, data in zip(paths, self.contents())
                          if data is None or not self.is_whole(data)), trials.TORN), None]
        if len(versions) > 1 or context.metadata["message_count"] != len(context.messages):
            return [MIXED, None]
        return [WHOLE, versions.pop()]


def run(stand):
    context = Context(stand.place("context"), stand.program("context_manager"))
    stand.sweep("killed at system calls of save()", [context])
    record = stand.record()
    stand.storm("killed at a random moment", [(context, "save()")], record, KILLS)
    stand.reads(record)
    stand.picture(record, {"save()": "save()"})
