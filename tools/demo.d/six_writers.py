"""Report C: six places that write their state with write_text."""

import collections
import os

import full_disk
import processes
import trials
from trials import WHOLE

TITLE = "Six places that write a file"
STORY = """A store of environments, a registry of skills, one of their sources, a cache, and two
texts: each is written by emptying the file and filling it again. Killed in between, or with the
disk full, the old content is gone and the new one is not there; and two that load, change and
save at once lose what one of them did. With untorn the new file takes the place of the old one
when it is complete, on a full disk the old one stays, also behind a link, and a mode of 0600
stays 0600."""
PROCESSES, SKILLS = 8, 5
KILLS = 4
LINES = 60
SECRET = 0o600
# For where no file system can be mounted: the old content is below it, the new one above.
LIMIT = 24 << 10


class Writer(trials.Subject):
    """One of the six. `lines` is how much it writes; its file may be a link to another folder."""

    def __init__(self, folder, link_to, name):
        super().__init__(folder)
        self.link_to, self.files, self.call, self.lines = link_to, (name,), name, LINES
        self.path = os.path.join(folder, name)

    def payload(self, version):
        return [f"line {number} of version {version}, as long as lines are"
                for number in range(self.lines)]

    def restart(self, version):
        for folder in filter(None, (self.folder, self.link_to)):
            trials.empty_folder(folder)
        if self.link_to:
            os.symlink(os.path.join(self.link_to, self.files[0]), self.path)
        processes.finish(processes.start(self.write, version))
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


class Environments(Writer):
    def __init__(self, folder, link_to, program):
        super().__init__(folder, link_to, "environments.json")
        self.store = program.EnvironmentStore(self.path)

    def write(self, version):
        self.store.set("main", {"version": version, "setup": self.payload(version)})

    def version(self):
        return self.store.load()["main"]["version"]


class Skills(Writer):
    def __init__(self, folder, link_to, program):
        super().__init__(folder, link_to, "skills.json")
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
    def __init__(self, folder, link_to, program):
        super().__init__(folder, link_to, "taps.json")
        self.registry = program.TapsRegistry(self.path)

    def write(self, version):
        self.registry.add({"version": version, "serves": self.payload(version)})

    def settle(self, version):
        for tap in self.registry.load()["taps"]:
            self.registry.remove(tap)
        self.write(version)

    def version(self):
        return self.registry.load()["taps"][-1]["version"]


class Index(Writer):
    def __init__(self, folder, link_to, program):
        super().__init__(folder, link_to, "index.json")
        self.cache = program.IndexCache(self.path, 3600)

    def write(self, version):
        self.cache.put([version, *self.payload(version)])

    def version(self):
        return self.cache.get()[0]


class Text(Writer):
    def __init__(self, folder, link_to, program, name):
        super().__init__(folder, link_to, f"{name}.txt")
        self.put = getattr(program, f"write_{name}")

    def write(self, version):
        self.put(self.path, "\n".join([str(version), *self.payload(version), "the end\n"]))

    def version(self):
        with open(self.path, "rb") as file:
            data = file.read()
        return int(data.split(b"\n")[0]) if self.is_whole(data) else None

    def is_whole(self, data):
        return data.endswith(b"\nthe end\n")


def writers(folder, program, link_to=None):
    return [*(kind(folder, link_to, program) for kind in (Environments, Skills, Taps, Index)),
            *(Text(folder, link_to, program, name) for name in ("summary", "full"))]


def write_without_room(writer, record, mounted):
    """The verdict after a write for which there is no room."""
    writer.restart(0)
    filler = full_disk.fill(writer.link_to or writer.folder) if mounted else None

    def write_more():
        if not mounted:
            full_disk.limit(LIMIT)
        writer.lines *= 12
        record.write(writer.files[0], writer.path, lambda: writer.write(1))

    processes.finish(processes.start(write_more))
    if filler:
        os.remove(filler)
    verdict = trials.judge(processes.ask(writer.look), 0)
    record.note("read", "reader", saw=verdict)
    return verdict


def write_all_without_room(folder, program, record):
    """[whether a file system was mounted, the verdicts, what was lost]"""
    disk = os.path.join(folder, "disk")
    os.makedirs(disk)
    mounted = full_disk.mount(disk)
    inside = os.path.join(disk, "files")
    verdicts, lost = collections.Counter(), []
    for writer in [*writers(inside, program),
                   *writers(os.path.join(folder, "links"), program, inside)]:
        verdict = write_without_room(writer, record, mounted)
        verdicts[verdict] += 1
        if verdict != WHOLE:
            lost.append(writer.path)
    return [mounted, verdicts, lost]


def fill_the_disk(stand, program, record):
    record.mark("the disk is full")
    mounted, verdicts, lost = processes.ask(write_all_without_room, stand.place("full"), program,
                                            record)
    if not mounted:
        stand.note("no file system could be mounted: a limit on the size of files fails the writes "
                   "as a full disk does")
    stand.verdicts("the disk is full; half of them through a link", verdicts)
    return lost


def run(stand):
    program = stand.program("skills_hub")
    six = writers(stand.place("hub"), program)
    record = stand.record()
    lost = fill_the_disk(stand, program, record)
    stand.sweep("killed at system calls of a write", six)
    stand.storm("killed at a random moment", [(one, one.files[0]) for one in six], record, KILLS)
    skills = six[1]
    skills.restart(0)
    stand.race(f"{PROCESSES} processes install {SKILLS} skills each at once", PROCESSES,
               skills.install, stand.record(), skills.installed)
    stand.reads(record)
    stand.picture(record, {one.files[0]: one.files[0] for one in six}, lost, kills=2)
