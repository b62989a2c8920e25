"""The ladder: which folder may use which, and what only src/os may touch."""

import re

from check import Check, c_files, code_only, find_in, line_of, without_comments

MAY_USE = {
    "base": (),
    "os": ("base",),
    "file": ("base", "os"),
    "text": ("base",),
    "txn": ("base", "os", "file"),
    "history": ("base", "os", "file", "txn"),
    "combine": ("base", "os", "file", "text"),
    "store": ("base", "os", "file", "text", "txn", "history", "combine"),
}
STANDARD = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp
    signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath
    time uchar wchar wctype""".split())
OTHER_HEADERS = {"xxhash.h", "emmintrin.h", "arm_neon.h"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[>"]', re.M)


def is_public(name):
    return name == "untorn.h" or name.startswith("untorn/")


def is_standard(name):
    return name.endswith(".h") and name[:-2] in STANDARD


def wrong_in_src(path, quote, name):
    layer, above_os = path.parts[1], path.parts[1] != "os"
    if quote == "<":
        allowed = is_public(name) or is_standard(name) or name in OTHER_HEADERS or not above_os
        return None if allowed else "a system header outside src/os"
    folder = name.split("/")[0] if "/" in name else layer
    if folder != layer and folder not in MAY_USE[layer]:
        return f"src/{layer} may not use src/{folder}"
    if folder == "os" and above_os and name != "os/os.h":
        return "only os/os.h is open to the folders above it"
    return None


# What the command may use of the library's own.
OF_THE_COMMAND = {
    "cli": ("base/printf_like.h", "base/nearest.h"),
    "cli/unix": ("unix/inside.h",),
    "cli/win": ("win/inside.h", "os/win/win.h", "base/error.h"),
}


def wrong_outside(path, quote, name):
    """For the public headers and for those who may only use them."""
    if path.parts[0] == "include":
        return None if quote == "<" and (is_public(name) or is_standard(name)) else \
            "a public header includes public and standard headers only"
    folder = str(path.parent)
    if folder == "cli" and quote == "<" and not is_public(name) and not is_standard(name):
        return "a system header outside cli/unix and cli/win"
    allowed = quote == "<" or "/" not in name or name in OF_THE_COMMAND.get(folder, ())
    return None if allowed else "only public headers and the folder's own"


def wrong_includes(root):
    found = []
    for path, text in c_files(root, "src", "include", "cli", "bindings", "examples"):
        for match in INCLUDE.finditer(without_comments(text)):
            in_src = path.parts[0] == "src"
            if in_src and path.parts[1] not in MAY_USE:
                wrong = "a folder that is not on the ladder"
            else:
                wrong = (wrong_in_src if in_src else wrong_outside)(path, match[1], match[2])
            if wrong:
                found.append(f"{path}:{line_of(text, match.start())}: {match[2]}: {wrong}")
    return found


RAW = """open openat open64 creat close read write pread pwrite readv writev lseek rename renameat
    renameat2 unlink unlinkat remove link linkat symlink symlinkat readlink readlinkat fsync
    fdatasync sync syncfs sync_file_range flock fcntl lockf stat lstat fstat fstatat statx statfs
    fstatfs statvfs mkdir mkdirat rmdir truncate ftruncate fallocate chmod fchmod fchmodat chown
    fchown fchownat opendir fdopendir readdir closedir fopen fdopen freopen fclose fread fwrite
    tmpfile mkstemp mkostemp mkdtemp realpath getcwd chdir access faccessat utimensat futimens
    setxattr fsetxattr getxattr fgetxattr mmap munmap dup dup2 pipe fork vfork execve execvp
    waitpid kill getpid getuid geteuid gethostname clock_gettime nanosleep usleep sleep getrandom
    pthread_atfork pthread_mutex_lock ioctl syscall umask CreateFileW MoveFileExW""".split()
LOUD = """printf fprintf vprintf vfprintf puts fputs putchar putc fputc perror exit _exit _Exit
    quick_exit abort atexit signal sigaction setlocale pthread_create thrd_create system""".split()
PLATFORM = r"\b(_WIN32|_WIN64|__APPLE__|__linux__|__unix__|__FreeBSD__|__CYGWIN__|_MSC_VER)\b"


def call_of(names):
    return r"(?<![\w.>])(" + "|".join(names) + r")\s*\("


def raw_calls(root):
    return find_in(root, ["src"], call_of(RAW), code_only,
                   lambda m: f"{m[1]}() belongs behind os/os.h", ["src/os/"])


def loud_calls(root):
    return find_in(root, ["src"], call_of(LOUD), code_only,
                   lambda m: f"{m[1]}() is not for a library", ["src/os/sim/"])


def platform_names(root):
    return find_in(root, ["src", "include"], PLATFORM, without_comments,
                   lambda m: f"{m[1]} outside src/os", ["src/os/", "include/untorn/visibility.h"])


CHECKS = [
    Check("a folder of src uses only the folders below it", wrong_includes, [
        {"src/base/a.c": '#include "os/os.h"\n'},
        {"src/text/a.c": '#include "file/replace.h"\n'},
        {"src/file/a.c": '#include "store/document.h"\n'},
        {"src/file/a.c": '#  include "os/unix/meta.h"\n'},
        {"src/file/a.c": "#include <unistd.h>\n"},
        {"src/extra/a.c": '#include "base/b.h"\n'},
        {"cli/main.c": '#include "file/replace.h"\n'},
        {"cli/main.c": '#include "../src/base/hash.h"\n'},
        {"cli/main.c": "#include <unistd.h>\n"},
        {"cli/main.c": '#include "os/win/win.h"\n'},
        {"cli/unix/paths.c": '#include "os/os.h"\n'},
        {"examples/save.c": '#include "base/hash.h"\n'},
        {"include/untorn/a.h": "#include <sys/types.h>\n"},
        {"include/untorn/a.h": '#include "untorn/b.h"\n'},
    ], {
        "src/store/a.c": '#include "text/scan.h"\n#include <untorn.h>\n#include <string.h>\n',
        "src/file/a.c": '/* #include <unistd.h> */\n#include "os/os.h"\n#include "a.h"\n',
        "src/os/unix/a.c": '#include <unistd.h>\n#include "os/os.h"\n#include "base/a.h"\n',
        "cli/main.c": '#include <untorn.h>\n#include <errno.h>\n#include "input.h"\n',
        "cli/unix/paths.c": '#include <unistd.h>\n#include "system.h"\n',
        "cli/win/paths.c": '#include <windows.h>\n#include "os/win/win.h"\n',
    }),
    Check("only src/os calls the operating system", raw_calls, [
        {"src/file/a.c": "int f(void) { return open(p, 0); }\n"},
        {"src/store/a.c": "x = rename (a, b);\n"},
        {"src/base/a.c": "FILE *f = fopen(name, mode);\n"},
    ], {
        "src/file/a.c": '/* open( */ os_open(x); t->read(x); t.write(x);\n'
                        'say("stat()"); reopen(x);\n',
        "src/os/unix/a.c": "fd = open(p, 0);\n",
    }),
    Check("the library prints nothing, ends nothing and starts nothing", loud_calls, [
        {"src/file/a.c": "fprintf(stderr, text);\n"},
        {"src/os/unix/a.c": "abort();\n"},
        {"src/base/a.c": "atexit(f);\n"},
    ], {"src/base/a.c": "snprintf(text, size, format); on_exit_of(x);\n"}),
    Check("only src/os names a platform", platform_names, [
        {"src/file/a.c": "#ifdef _WIN32\n#endif\n"},
        {"src/text/a.h": "#if defined(__APPLE__)\n#endif\n"},
        {"include/untorn/a.h": "#ifndef __linux__\n#endif\n"},
    ], {"src/os/unix/a.c": "#ifdef __APPLE__\n#endif\n", "src/file/a.c": "/* not on _WIN32 */\n"}),
]
