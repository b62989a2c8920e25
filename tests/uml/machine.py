"""A machine that can be had anywhere: a user-mode Linux, with this machine's files as its root."""

import os
import shutil
import subprocess
from pathlib import Path

REGISTERS = Path(__file__).with_name("whole_registers.c")


def missing():
    """Why it cannot be had, or None."""
    if not shutil.which("linux.uml"):
        return "needs linux.uml"
    if os.geteuid() != 0:
        return "needs root, to mount"
    return None


def go_on_with_own_mounts(arguments):
    """What is mounted from here on ends with this process."""
    if "OWN_MOUNTS" not in os.environ:
        os.environ["OWN_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", *arguments])


def preloaded(folder):
    """The library of whole_registers.c, made if it is not there."""
    library = Path(folder, "whole_registers.so")
    if not library.exists():
        flags = ["-shared", "-fPIC", "-O1", "-D_GNU_SOURCE="]
        subprocess.run(["cc", *flags, "-o", library, REGISTERS], check=True)
    return str(library)


def boot(folder, init, words, images=(), variables=None, memory=128):
    """Starts one whose first program is `init WORDS...`; it sees the images as /dev/ubda and so on.
    Its terminal is .stdout. Killing the group ends it all at once."""
    kernel = ["mem=%dM" % memory, "rootfstype=hostfs", "rootflags=/", "ro", "quiet",
              f"uml_dir={folder}", "umid=machine", "con=null", "con0=null,fd:1", f"init={init}"]
    kernel += [f"ubd{letter}={image}" for letter, image in zip("abcdefgh", images)]
    # What the kernel does not know becomes the environment of the first program.
    kernel += [f"{name}={value}" for name, value in (variables or {}).items()]
    return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "linux.uml", *kernel, "--", *words],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, start_new_session=True,
                            env={**os.environ, "TMPDIR": str(folder),
                                 "LD_PRELOAD": preloaded(folder)})
