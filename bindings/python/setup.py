"""pip install --no-build-isolation ./bindings/python: the same module as `make` builds, from the
same archive of the C library. Needs what `make` needs, and this folder in its place; or an archive
that is there already, in the environment: UNTORN_LIBRARY=build/libuntorn.a."""

import os
import re
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VERSION = re.search(r'#define UNTORN_VERSION "(.*)"',
                    (ROOT / "include/untorn/version.h").read_text())[1]


class Build(build_ext):
    """Makes the archive first, unless it is named."""

    def run(self):
        archive = os.environ.get("UNTORN_LIBRARY")
        if not archive:
            folder = Path(self.build_temp).resolve() / "library"
            subprocess.run([ROOT / "tools/build", folder, "libuntorn.a"], check=True)
            archive = str(folder / "libuntorn.a")
        self.extensions[0].extra_objects = [archive]
        super().run()


setup(
    version=VERSION,
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
    ext_modules=[Extension(
        "untorn._untorn",
        sorted(str(file.relative_to(HERE)) for file in (HERE / "src").glob("*.c")),
        include_dirs=[str(ROOT / "include")],
        define_macros=[("Py_LIMITED_API", "0x03090000"), ("_POSIX_C_SOURCE", "200809L")],
        extra_compile_args=["-std=c11", "-fvisibility=hidden"],
        extra_link_args=["-pthread", "-Wl,-z,relro,-z,now", "-Wl,--exclude-libs,ALL"],
        py_limited_api=True,
    )],
)
