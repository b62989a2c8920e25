#!/usr/bin/python3
# run: budget 75, timeout 900, serial
"""A share of what make check-windows runs, and no more in a long run: that is one of its own."""

import os
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
os.environ.pop("UNTORN_LONG", None)
build = os.environ["BUILD"] + "-windows"
sys.exit(subprocess.run([sys.executable, here / "run.py", "--build", build, "--quick"],
                        check=False).returncode)
