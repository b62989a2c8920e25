#!/usr/bin/python3
# run: budget 60, timeout 900, serial
"""A share of what make check-windows runs; with UNTORN_LONG all of it."""

import os
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
words = [] if os.environ.get("UNTORN_LONG") else ["--quick"]
build = os.environ["BUILD"] + "-windows"
sys.exit(subprocess.run([sys.executable, here / "run.py", "--build", build, *words],
                        check=False).returncode)
