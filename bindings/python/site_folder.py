"""site_folder.py PREFIX   prints the folder below PREFIX in which this Python looks for packages;
of a prefix in which it does not look, the one that a Python of that prefix would have."""

import os
import site
import sys
import sysconfig


def site_folder(prefix):
    for folder in site.getsitepackages():
        if folder.startswith(os.path.join(prefix, "lib", "")):
            return folder
    return sysconfig.get_path("platlib", "posix_prefix", {"base": prefix, "platbase": prefix})


if __name__ == "__main__":
    print(site_folder(os.path.normpath(sys.argv[1])))
