"""Whether anything was said to questions, or others are trusted, since something was prepared.

Beside what lies prepared for hooks a stamp says how the files were that it was made from, and
where they lie: a hook in a worktree looks where whoever prepared it did. A hook has no time to
read what was said; that something was is enough for it to tell no answer that may not hold.
"""

# ruff: noqa: PTH114, PTH118

import os
import os.path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DIGESTS_STAMP = "questions.stamp"  # beside digests: what was asked when they were made
NOTICES_STAMP = "notices.stamp"  # the same of the notices, which are made more often
_QUESTION_FILES_MAX = 2_000
_NOTHING = "0:"  # all that is said where no file is there


def stamp_questions(root: str, *keys: str) -> bytes:
    """Return how the questions of a repository are, and the files that say whose words count.

    By the files alone, whoever wrote them; nothing where nobody said anything.
    """
    seen = _look(root, keys)
    places = map(os.fsencode, (root, *keys))
    return b"\0".join((seen.encode(), *places)) if seen.strip(_NOTHING) else b""


def find_change(stamp: bytes, root: str) -> str:
    """Return how questions are now, if that is not as a stamp says; nothing where it is.

    Without a stamp that can be read: where anything was asked, in the repository at `root`.
    """
    noted, *places = stamp.split(b"\0")
    if not places:
        seen = _look(root, ())
        return seen if seen.strip(_NOTHING) else ""
    looked_at, *keys = map(os.fsdecode, places)
    seen = _look(looked_at, keys)
    return "" if seen.encode() == noted else seen


def _look(root: str, keys: "Iterable[str]") -> str:
    return ":".join((*map(str, _look_at_questions(root)), *map(_look_at, keys)))


def _look_at_questions(root: str) -> tuple[int, int]:
    """Return how many files of questions there are, and when the newest was written."""
    own = os.path.join(root, ".agentx")
    asked = os.path.join(own, "questions")
    newest = count = 0
    if os.path.islink(own) or os.path.islink(asked):
        return count, newest
    try:
        for folder in _list_some(asked):
            if not folder.name.isdigit() or not folder.is_dir(follow_symlinks=False):
                continue
            for file in _list_some(folder.path):
                newest = max(newest, file.stat(follow_symlinks=False).st_mtime_ns)
                count += 1
            if count >= _QUESTION_FILES_MAX:
                break
    except OSError:
        pass
    return count, newest


def _look_at(path: str) -> str:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return ""
    return f"{found.st_size}.{found.st_mtime_ns}"


def _list_some(folder: str) -> "list[os.DirEntry[str]]":
    with os.scandir(folder) as entries:
        return [entry for _, entry in zip(range(_QUESTION_FILES_MAX), entries, strict=False)]
