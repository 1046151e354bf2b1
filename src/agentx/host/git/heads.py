"""What is checked out, where a branch is, and whether any has moved: read from git's own files.

Every session and many commands ask this, so no git is started for it. What is read is believed
only as far as it names a branch or a commit, and that is looked up in git's own list. What may
be mistaken (packed, a pointer to a pointer, a commit that does not lie there whole) is asked of
git.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from pathlib import Path

from agentx.kernel.clock import Millis
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen

_POINTER_BYTES_MAX = 4_096
_COMMIT_BYTES_MAX = 65_536
_FOLDERS_UP_MAX = 40
_FOLDERS_MAX = 300
_WORKTREES_MAX = 50
_SETTLED_MS = 1_000
_REF = "ref: "
_BRANCHES = "refs/heads/"
_HEADS = f"{_REF}{_BRANCHES}"
_POINTER = "gitdir: "
# What all checkouts of a repository share; other names of ours are of each checkout.
_SHARED = frozenset({"shallow", "worktrees"})
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_PLAIN = frozenset(f"{_LETTERS}{_LETTERS.upper()}0123456789/._+-")  # others git may take otherwise


@frozen
class Checkout:
    """A branch that is checked out, or a commit where there is none."""

    branch: str = ""
    commit: str = ""


@frozen
class RefsLook:
    """What the files of branches look like, and whether all their changes can be told by that."""

    mark: str
    is_settled: bool


def read_checkout(directory: Path) -> Checkout | None:
    """Return what is checked out in the working tree of a folder; None outside of git."""
    found = _find_head(directory)
    return found[1] if found else None


def find_worktree(directory: Path) -> Path | None:
    """Return the top of the working tree that a folder lies in; None outside of git."""
    found = _find_head(directory)
    return found[0] if found else None


def _find_head(directory: Path) -> tuple[Path, Checkout] | None:
    folder = directory
    for _ in range(_FOLDERS_UP_MAX):
        head = _read_head(folder / ".git")
        if head is not None:
            return folder, head
        if folder == folder.parent:
            break
        folder = folder.parent
    return None


def list_checkouts(common: Path) -> tuple[Checkout, ...]:
    """Return what is checked out in a repository and in its worktrees."""
    found = [_parse_head(_read(common / "HEAD"))]
    found += [_parse_head(_read(folder / "HEAD")) for folder in _list_worktrees(common)]
    return tuple(each for each in found if each is not None)


def look_at_refs(common: Path, now_ms: Millis) -> RefsLook:
    """Return what the branches of a repository look like, without reading any."""
    files = [common / name for name in ("HEAD", "packed-refs", "shallow", "reftable/tables.list")]
    files += [folder / "HEAD" for folder in _list_worktrees(common)]
    looks, newest_ns, waiting = [], 0, [common / "refs" / "heads", common / "refs" / "remotes"]
    while waiting and len(files) < _FOLDERS_MAX:
        folder = waiting.pop()
        files.append(folder)  # whoever moves a branch makes its file anew: the folder tells
        try:
            with os.scandir(folder) as entries:
                inner = [each.name for each in entries if each.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        waiting += [folder / name for name in sorted(inner, reverse=True)]
    for path in files:
        try:
            seen = os.lstat(path)
        except (OSError, ValueError):
            looks.append(f"{path} -")
            continue
        newest_ns = max(newest_ns, seen.st_mtime_ns)
        looks.append(f"{path} {seen.st_size} {seen.st_mtime_ns} {seen.st_ino}")
    is_settled = not waiting and now_ms - newest_ns // 1_000_000 >= _SETTLED_MS
    return RefsLook(mark=digest(*looks).hex(), is_settled=is_settled)


def has_branches(common: Path) -> bool:
    """Tell whether a repository has any branch yet, here or at a remote; in doubt it has."""
    if any(os.path.lexists(common / name) for name in ("packed-refs", "reftable")):
        return True
    for folder in (common / "refs" / "heads", common / "refs" / "remotes"):
        try:
            with os.scandir(folder) as entries:
                if any(entries):
                    return True
        except FileNotFoundError:
            continue
        except OSError:
            return True
    return False


def is_shallow(common: Path) -> bool:
    """Tell whether the history of a repository was cut off."""
    return os.path.lexists(common / "shallow")


def _list_worktrees(common: Path) -> list[Path]:
    try:
        return sorted((common / "worktrees").iterdir())[:_WORKTREES_MAX]
    except OSError:
        return []


def _read_head(dot_git: Path) -> Checkout | None:
    text = _read(dot_git / "HEAD")
    if text is None:
        pointer = _read(dot_git)
        if pointer is None or not pointer.startswith(_POINTER):
            return None
        text = _read(dot_git.parent / pointer.removeprefix(_POINTER).strip() / "HEAD") or ""
    return _parse_head(text)


def _parse_head(text: str | None) -> Checkout | None:
    if text is None:
        return None
    said = text.strip()
    if said.startswith(_HEADS):
        return Checkout(branch=said.removeprefix(_HEADS))
    return Checkout(commit=said if _is_hash(said) else "")


def _is_hash(said: str) -> bool:
    return len(said) in (40, 64) and not said.strip("0123456789abcdef")


def list_own_files(path: Path, names: Sequence[str]) -> tuple[Path, ...] | None:
    """Return where git keeps files of its own for a checkout; None where git has to be asked."""
    own = _find_own(str(path))
    if own is None:
        return None
    common = _find_common(own) if _SHARED.intersection(names) else own
    return tuple(Path(common if name in _SHARED else own, name) for name in names)


def find_tip(path: Path, name: str) -> str:
    """Return the commit of a branch, or of what is checked out; empty where git has to be asked."""
    own = _find_own(str(path)) if name == "HEAD" or name.startswith(_BRANCHES) else None
    if own is None:
        return ""
    if name == "HEAD":
        name = (_read(f"{own}/{name}") or "").strip().removeprefix(_REF)
    if not name.startswith(_BRANCHES) or not _is_plain(name):
        return ""
    common = _find_common(own)
    commit = (_read(f"{common}/{name}") or "").rstrip()
    is_there = _is_hash(commit) and _is_commit(f"{common}/objects/{commit[:2]}/{commit[2:]}")
    return commit if is_there else ""


def _is_plain(name: str) -> bool:
    """Tell whether a name can only be that of a branch."""
    parts = name.split("/")
    is_odd = any(part[:1] in ("", ".") or part.endswith((".", ".lock")) for part in parts)
    return _PLAIN.issuperset(name) and ".." not in name and not is_odd


def _is_commit(path: str) -> bool:
    """Tell whether a commit lies in a file of git's, all of it: a crash leaves an empty one."""
    inflater = zlib.decompressobj()
    try:
        packed = _read_bytes(path, _COMMIT_BYTES_MAX) or b""
        kind, _, said = inflater.decompress(packed, _COMMIT_BYTES_MAX).partition(b"\0")
    except zlib.error:
        return False
    return inflater.eof and kind == b"commit %d" % len(said)


# As text: every command about a run asks for some of these again and again.


def _find_own(path: str) -> str | None:
    """Return the folder in which git keeps what is of a checkout alone."""
    own = f"{path}/.git"
    if not os.path.isdir(own):  # noqa: PTH112  as text, see above
        pointer = _read(own) or ""
        if not pointer.startswith(_POINTER):
            return None
        own = os.path.join(path, pointer.removeprefix(_POINTER).rstrip("\n"))  # noqa: PTH118  as text
    head, common = _read(f"{own}/HEAD") or "", _find_common(own)
    is_head = head.startswith(f"{_REF}refs/") or _is_hash(head.strip())
    is_gits = is_head and all(
        os.path.isdir(f"{common}/{name}")  # noqa: PTH112  as text, see above
        for name in ("objects", "refs")
    )
    return own if is_gits else None


def _find_common(own: str) -> str:
    said = (_read(f"{own}/commondir") or "").rstrip("\n")
    return os.path.join(own, said) if said else own  # noqa: PTH118  as text, see above


def _read(path: Path | str) -> str | None:
    said = _read_bytes(path, _POINTER_BYTES_MAX)
    return None if said is None else said.decode("utf-8", "replace")


def _read_bytes(path: Path | str, bytes_max: int) -> bytes | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        return os.read(file, bytes_max)
    except OSError:
        return None
    finally:
        os.close(file)
