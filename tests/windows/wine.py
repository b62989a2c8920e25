"""Wine for the tests beside it: a world of its own below the build, and nothing left running."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys

NEEDED = ["x86_64-w64-mingw32-gcc", "wine"]
REST = 60


def missing():
    return [command for command in NEEDED if not shutil.which(command)]


def own_mounts():
    """Where root may do so, goes on where nothing that is mounted is seen by others or outlives us.
    The server of Wine opens the files, so it has to be there too."""
    apart = ["unshare", "--mount", "--propagation", "private"]
    if os.geteuid() != 0 or os.environ.get("OWN_MOUNTS") or not shutil.which("unshare"):
        return
    if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.environ["OWN_MOUNTS"] = "1"
        os.execvp("unshare", [*apart, sys.executable, *sys.argv])


class Wine:
    """Its server stays between two programs, and some seconds longer than us if we are killed.
    Else each program would start Windows anew, which takes seconds. It is found by those who have
    the same TMPDIR."""

    def __init__(self, build):
        self.home = build / "wine"
        self.temporary = build / "tmp"
        self.environment = {**os.environ, "WINEPREFIX": str(self.home), "WINEDEBUG": "-all",
                            "WINEDLLOVERRIDES": "mscoree,mshtml=", "TMPDIR": str(self.temporary)}
        self.environment.pop("DISPLAY", None)
        self.lock = -1

    def __enter__(self):
        self.home.mkdir(parents=True, exist_ok=True)
        self.lock = os.open(self.home, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)  # two runs would end each other's server
        self.call("wineserver", "--kill")
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir()
        self.call("wineserver", f"--persistent={REST}")
        self.call("wine", "wineboot", "--init")
        return self

    def __exit__(self, *_):
        self.call("wineserver", "--kill")
        shutil.rmtree(self.temporary, ignore_errors=True)
        os.close(self.lock)

    def call(self, *words):
        """Not through a pipe, which the services that it starts would keep open."""
        subprocess.run(words, env=self.environment, check=False, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       start_new_session=True)

    def run(self, words, seconds):
        """What it prints; a program that takes too long says so."""
        process = subprocess.Popen(["wine", *map(str, words)], env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += b"\nFAIL the suite took too long\n"
        return output.decode(errors="replace").replace("\r\n", "\n")
