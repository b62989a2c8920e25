"""What the tidy checks share: how a check is stated, and how C text is looked at."""

import re

C_FOLDERS = ("include", "src", "cli", "bindings", "tests", "fuzz", "bench", "examples")


class Check:
    """A sentence that must hold for the tree.

    find(root) returns the violations, each "path:line: what". `planted` are trees (path to
    content) of which each must be caught: the negative control. `fine` is a tree that must not be.
    """

    def __init__(self, sentence, find, planted, fine=None):
        self.sentence, self.find, self.planted, self.fine = sentence, find, planted, fine or {}


def c_files(root, *folders):
    for folder in folders or C_FOLDERS:
        for file in sorted((root / folder).rglob("*.[ch]")):
            yield file.relative_to(root), file.read_text(encoding="utf-8")


def text_files(root):
    """Every text of the project that people write, without what is built."""
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root)
        first = path.parts[0]
        if first in (".git", "__pycache__") or first == "build" or first.startswith("build-"):
            continue
        if "__pycache__" in path.parts or not file.is_file() or file.is_symlink():
            continue
        try:
            yield path, file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The C text with comments blanked, lines and columns kept."""
    return _TOKEN.sub(lambda m: _blank(m[0]) if m[0][0] == "/" else m[0], text)


def code_only(text):
    """The C text with comments and literals blanked, lines and columns kept."""
    return _TOKEN.sub(lambda m: _blank(m[0]), text)


def comments_only(text):
    """The other way round: only comments and literals."""
    result, end = [], 0
    for match in _TOKEN.finditer(text):
        result += [_blank(text[end:match.start()]), match[0]]
        end = match.end()
    return "".join(result) + _blank(text[end:])


def without_directives(text):
    """Blanks preprocessor lines, continued ones too."""
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: _blank(m[0]), text, flags=re.M)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def find_in(root, folders, pattern, view, says, skip=()):
    """All matches of a pattern in the C files of some folders, in one view of their text."""
    found = []
    for path, text in c_files(root, *folders):
        if any(str(path).startswith(prefix) for prefix in skip):
            continue
        seen = view(text)
        for match in re.finditer(pattern, seen):
            found.append(f"{path}:{line_of(seen, match.start())}: {says(match)}")
    return found
