"""Report C: six places that write their state with write_text."""

import collections
import json
import os

import full_disk
import processes
import trials
from trials import WHOLE

TITLE = "Six places that write a file"
STORY = """A store of environments, a registry of skills, one of their sources, a cache, and two texts:
each is written by emptying the file and filling it again. Killed in between, or with the disk full,
the old content is gone and the new one is not there; and two that load, change and save at once lose
what one of them did. With untorn the new file takes the place of the old one when it is complete, on
a full disk the old one stays, also behind a link, and a mode of 0600 stays 0600."""
PROCESSES, SKILLS = 8, 5
KILLS = 4
LINES = 60
SECRET = 0o600
# For where no file system can be mounted: the old content is below it, the new one above.
LIMIT = 24 << 10


class Writer(trials.Subject):
    """One of the six. `lines` is how much it has to write."""

    def __init__(self, folder, program, name):
        super().__init__(folder)
        self.program, self.files, self.lines = program, (name,), LINES
        self.path = os.path.join(folder, name)
        self.call = self.files[0]

    def payload(self, version):
        return [f"line {number} of version {version}, as long as lines are"
                for number in range(self.lines)]

    def restart(self, version):
        super().restart(version)
        os.chmod(self.path, SECRET)

    def look(self):
        try:
            version = self.version()
            if version is not None:
                return [WHOLE if self.is_secret() else "readable by others", version]
        except Exception:
            pass
        return [trials.wrong(self.path), None]

    def is_secret(self):
        return os.stat(self.path).st_mode & 0o777 == SECRET

    def version(self):
        """The version in the file, None if it holds none."""
        raise NotImplementedError

    def is_whole(self, data):
        try:
            json.loads(data)
            return True
        except ValueError:
            return False


class Environments(Writer):
    def __init__(self, folder, program):
        super().__init__(folder, program, "environments.json")
        self.store = program.EnvironmentStore(self.path)

    def write(self, version):
        self.store.set("main", {"version": version, "setup": self.payload(version)})

    def version(self):
        return self.store.load()["main"]["version"]


class Skills(Writer):
    def __init__(self, folder, program):
        super().__init__(folder, program, "skills.json")
        self.registry = program.SkillsRegistry(self.path)

    def write(self, version):
        self.registry.install("main", {"version": version, "files": self.payload(version)})

    def version(self):
        return self.registry.load()["installed"]["main"]["version"]

    def install(self, number, record):
        for skill in range(SKILLS):
            name = f"skill{number}_{skill}"
            record.write(number, name, lambda: self.registry.install(name, {"from": number}))

    def installed(self):
        try:
            return list(self.registry.load()["installed"])
        except Exception:
            return []


class Taps(Writer):
    def __init__(self, folder, program):
        super().__init__(folder, program, "taps.json")
        self.registry = program.TapsRegistry(self.path)

    def write(self, version):
        self.registry.add([version, *self.payload(version)])

    def version(self):
        return self.registry.load()["taps"][-1][0]


class Index(Writer):
    def __init__(self, folder, program):
        super().__init__(folder, program, "index.json")
        self.cache = program.IndexCache(self.path, 3600)

    def write(self, version):
        self.cache.put([version, *self.payload(version)])

    def version(self):
        return self.cache.get()[0]


class Text(Writer):
    def __init__(self, folder, program, name):
        super().__init__(folder, program, f"{name}.txt")
        self.put = getattr(program, f"write_{name}")

    def write(self, version):
        self.put(self.path, "\n".join([str(version), *self.payload(version), "the end\n"]))

    def version(self):
        with open(self.path, "rb") as file:
            data = file.read()
        return int(data.split(b"\n")[0]) if self.is_whole(data) else None

    def is_whole(self, data):
        return data.endswith(b"\nthe end\n")


def writers(folder, program):
    return [Environments(folder, program), Skills(folder, program), Taps(folder, program),
            Index(folder, program), Text(folder, program, "summary"),
            Text(folder, program, "full")]


def race(stand, skills):
    record = stand.record()
    skills.restart(0)
    processes.crowd(PROCESSES, skills.install, record)
    there = processes.ask(skills.installed)
    lost = [name for name in record.acknowledged() if name not in there]
    refused = sum(note["kind"] == "failed" for note in record.notes())
    stand.row(f"{PROCESSES} processes install {SKILLS} skills each at once", len(lost) + refused,
              PROCESSES * SKILLS, "skills", {"overwritten": len(lost), "refused": refused})


def write_on_a_full_disk(writer, record, through_a_link, mounted):
    """The verdict after a write for which there is no room."""
    writer.restart(0)
    filler = full_disk.fill(writer.folder) if mounted else None
    if through_a_link:
        os.symlink(os.path.join(writer.folder, writer.files[0]), through_a_link)

    def write_more():
        if not mounted:
            full_disk.limit(LIMIT)
        writer.lines *= 12
        record.write(writer.files[0], f"{writer.files[0]} {bool(through_a_link)}",
                     lambda: writer.write(1))

    processes.finish(processes.start(write_more))
    if filler:
        os.remove(filler)
    verdict = trials.judge(processes.ask(writer.look), 0)
    record.note("read", "reader", saw=verdict)
    return verdict


def write_all_on_a_full_disk(folder, program, record):
    """[whether a file system was mounted, the verdicts, what was lost]"""
    mounted = full_disk.mount(folder)
    verdicts, lost = collections.Counter(), []
    for number, link in enumerate((None, f"{folder}.link")):
        for writer in writers(os.path.join(folder, "files"), program):
            verdict = write_on_a_full_disk(writer, record, link, mounted)
