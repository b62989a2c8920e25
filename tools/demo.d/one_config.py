"""Report B: a configuration that several processes read, change and rewrite."""

import os
import re

import processes
import trials
from trials import WHOLE

TITLE = "One configuration, many who set a value"
STORY = """Every call of the program's config command reads a TOML file, changes a value and
rewrites the file. Of two at once the later one erases what the earlier one set; one that is
killed while it writes leaves half a file, and the comments are gone with the other half. With
untorn each change is made under a lock taken before the file is read, and the file is replaced
whole: every value that was acknowledged is there, and so is every comment."""
PROCESSES, KEYS = 16, 6
KILLS = 24
SECTIONS = 30
COMMENT = re.compile(r"#.*")
COMMENTS = 1 + 2 * SECTIONS


def handwritten():
    """The configuration as its owner wrote it, with a comment for each section."""
    lines = ["# Of this file every line counts, also this one.\n"]
    for number in range(SECTIONS):
        lines.append(f"\n# what section {number} is for, as its owner wrote it down\n"
                     f"[section{number}]\nenabled = true # do not switch off\nlimit = {number}\n")
    return "".join(lines)


class Config(trials.Subject):
    files = ("global.toml",)
    call = "set_value()"

    def __init__(self, folder, program):
        super().__init__(folder)
        self.service = program.ConfigService(folder)
        self.path = os.path.join(folder, self.files[0])
        self.fewest = COMMENTS  # that any kill left

    def restart(self, version):
        trials.empty_folder(self.folder)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(f"version = {version}\n" + handwritten())

    def write(self, version):
        self.service.set_value("version", version)

    def look(self):
        try:
            values = self.service.read_config()
            with open(self.path, "rb") as file:
                whole = self.is_whole(file.read())
            sections = [name for name in values if name.startswith("section")]
            if whole and len(sections) == SECTIONS:
                return [WHOLE, values["version"]]
        except Exception:
            pass
        return [trials.wrong(self.path), None]

    def is_whole(self, data):
        """Also the comments belong to it: a section, its comment and its last line, for each."""
        text = data.decode(errors="replace")
        return all(part in text for part in handwritten().split("\n\n"))

    def states(self, old):
        self.fewest = min(self.fewest, len(COMMENT.findall((self.contents()[0] or b"").decode())))
        return super().states(old)

    def set_keys(self, number, record):
        for key in range(KEYS):
            name = f"worker{number}_{key}"
            record.write(number, name, lambda: self.service.set_value(f"workers.{name}", key))

    def keys(self):
        """The keys of the workers that are in the file."""
        try:
            return list(self.service.read_config().get("workers", {}))
        except Exception:
            return []


def race(stand, config, record):
    config.restart(0)
    record.mark(f"{PROCESSES} processes at once")
    reader = processes.start(trials.read_on, config, record)
    lost = stand.race(f"{PROCESSES} processes set {KEYS} keys each at once", PROCESSES,
                      config.set_keys, record, config.keys)
    processes.kill(reader)
    return lost


def run(stand):
    config = Config(stand.place("config"), stand.program("config_service"))
    record = stand.record()
    lost = race(stand, config, record)
    stand.sweep("killed at system calls of set_value()", [config])
    stand.row("comments, after the worst of these kills", COMMENTS - config.fewest, COMMENTS,
              {"gone": COMMENTS - config.fewest})
    stand.storm("killed at a random moment", [(config, "killed")], record, KILLS)
    stand.reads(record)
    lanes = {number: f"writer {number + 1}" for number in range(PROCESSES)}
    stand.picture(record, {**lanes, "killed": "one, killed"}, lost)
