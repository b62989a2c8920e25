"""Report D: a map from targets to UUIDs that all processes of a machine share."""

import json
import os
import uuid

import processes
import trials
from trials import WHOLE

TITLE = "A map that all processes share"
STORY = """One file maps every target that was ever investigated to its UUID, for all processes of the
machine. The program loads the map, adds an entry and saves it all. Two at once lose one of the two
entries, many that ask for one target get different UUIDs, and a map that was torn by a kill is taken
for an empty one: the next save makes that final. With untorn one process makes the entry and all get
it, and a damaged map is told and kept as it is."""
PROCESSES, TARGETS = 8, 25
CROWD = 64
KILLS = 24
OLD = 120


class Map(trials.Subject):
    files = ("investigations.json",)
    call = "investigation_for()"

    def __init__(self, folder, program):
        super().__init__(folder)
        self.program = program
        self.path = os.path.join(folder, self.files[0])

    def restart(self, version):
        super().restart(version)

    def write(self, version):
        """A version is one more target; the first one comes with all the old ones."""
        known = self.program.load_investigations(self.path)
        if not known:
            known = {f"/srv/old/{number}": str(uuid.uuid4()) for number in range(OLD)}
            self.program.save_investigations(self.path, known)
        self.program.investigation_for(f"/srv/target/{version}", self.path)

    def look(self):
        try:
            known = self.program.load_investigations(self.path)
            versions = [int(target.rsplit("/", 1)[1]) for target in known
                        if target.startswith("/srv/target/")]
            if len(known) - len(versions) == OLD and versions:
                return [WHOLE, max(versions)]
        except Exception:
            pass
        return [trials.wrong(self.path), None]

    def is_whole(self, data):
        try:
            return len(json.loads(data)) > OLD
        except ValueError:
            return False
