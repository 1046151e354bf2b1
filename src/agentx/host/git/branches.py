"""What git knows of branches: where each one is, what is not in the default one, what came in as
another commit.

Names of branches come from git's own list and are only compared; git is asked by the ids of
commits alone, so no name can be an option. Every question is bounded in commits, in paths and in
time; None means that git could not say.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from agentx.host.git.command import ask_git
from agentx.host.limits import GIT_WAIT_MS
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

# What the branch is mostly called that others are merged into.
USUAL_DEFAULTS = ("main", "master", "trunk", "default")
REFS_MAX = 400
APART_MAX = 3_000
_TIPS_MAX = 150
_MERGES_MAX = 500
_LOG_BYTES_MAX = 64 * 1024
_LOG_LINES_MAX = 200
_FULL_HASH = compile_late(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HEADS, _REMOTES = "refs/heads/", "refs/remotes/"
# How git and those who host it call the commit that brings a branch in.
_NAMES_BRANCH = compile_late(
    r"Merge pull request #\d+ from [^/\s]+/(\S+)"
    r"|Merge (?:remote-tracking )?branch '(?:origin/)?([^']+)'"
    r"|Merged in (\S+) \(pull request #\d+\)"
)
# What a branch's own log says of a commit that was made on it.
_MADE = ("commit", "cherry-pick", "revert", "am:", "rebase (pick", "merge ", "pull")
_BEGAN = "branch: Created from "


@frozen
class Ref:
    """A branch, of this repository or as last seen of a remote."""

    name: str  # without its remote
    tip: str
    committed_ms: int
    authored_ms: int = 0  # a rebase leaves it as it was; 0: not known
    remote: str = ""
    leads_to: str = ""  # of `origin/HEAD`: the branch that it stands for


@frozen
class BranchLog:
    """What git's own log says of a branch of this repository."""

    created_ms: int  # 0: not known
    began_at: str  # what it was made from, as git calls it
    has_own: bool  # something was committed on it here


def is_full_hash(text: str) -> bool:
    """Tell whether a text is the whole id of a commit."""
    return _FULL_HASH.fullmatch(text) is not None


def list_refs(path: Path, wait_ms: int = GIT_WAIT_MS) -> tuple[Ref, ...] | None:
    """Return the branches, those committed to last first."""
    said = ask_git(
        path,
        "for-each-ref",
        "--sort=-committerdate",
        f"--count={REFS_MAX}",
        "--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(symref)"
        "%00%(authordate:unix)",
        _HEADS,
        _REMOTES,
        wait_ms=wait_ms,
    )
    if said is None or said.code != 0:
        return None
    return tuple(_read_refs(said.out))


def _read_refs(text: str) -> Iterator[Ref]:
    for row in text.split("\n"):
        parts = row.split("\0")
        if len(parts) != 5 or not is_full_hash(parts[1]):
            continue
        name, tip, at, leads_to, authored = parts
        at_ms, authored_ms = (int(each) * 1000 if each.isdigit() else 0 for each in (at, authored))
        ref = Ref(
            name=name.removeprefix(_HEADS), tip=tip, committed_ms=at_ms, authored_ms=authored_ms
        )
        if name.startswith(_HEADS):
            yield ref
            continue
        remote, _, rest = name.removeprefix(_REMOTES).partition("/")
        target = leads_to.removeprefix(f"{_REMOTES}{remote}/")
        yield replace(ref, name=rest, remote=remote, leads_to=target)


def find_default(refs: Sequence[Ref]) -> str:
    """Return the branch that others are merged into; empty where nothing says which.

    What the remote calls so, else what it is called everywhere, else the only one there is.
    """
    for ref in refs:
        if ref.remote == "origin" and ref.name == "HEAD" and ref.leads_to:
            return ref.leads_to
    names = {ref.name for ref in refs if ref.remote in ("", "origin")}
    usual = next((name for name in USUAL_DEFAULTS if name in names), "")
    mine = [ref.name for ref in refs if not ref.remote]
    return usual or (mine[0] if len(mine) == 1 else "")


def list_bases(refs: Sequence[Ref]) -> tuple[str, ...]:
    """Return the commits of the default branch: here, and as last seen where it is shared."""
    default = find_default(refs)
    shared = ("", "origin", "upstream")
    found = (ref.tip for ref in refs if ref.name == default and ref.remote in shared)
    return tuple(dict.fromkeys(found)) if default else ()


def list_apart(
    path: Path, tips: Collection[str], base: Collection[str], wait_ms: int = GIT_WAIT_MS
) -> dict[str, tuple[str, ...]] | None:
    """Return the commits that tips have and none of `base` has, each with its parents.

    A tip that is not there is passed over: it looks like one that `base` has.
    """
    asked = [*filter(is_full_hash, dict.fromkeys(tips))][:_TIPS_MAX]
    without = [f"^{each}" for each in dict.fromkeys(base) if is_full_hash(each)]
    if not asked or not without:
        return {}
    words = ("rev-list", "--parents", "--ignore-missing", f"--max-count={APART_MAX}")
    said = ask_git(path, *words, *asked, *without, "--", wait_ms=wait_ms, is_costly=True)
    if said is None or said.code != 0:
        return None
    rows = (line.split() for line in said.lines)
    return {row[0]: tuple(row[1:]) for row in rows if row}


def list_there(path: Path, commits: Collection[str], wait_ms: int = GIT_WAIT_MS) -> frozenset[str]:
    """Return those of some commits that lie in the repository."""
    asked = [*filter(is_full_hash, commits)][:_TIPS_MAX]
    if not asked:
        return frozenset()
    words = ("rev-list", "--no-walk", "--ignore-missing")
    said = ask_git(path, *words, *asked, "--", wait_ms=wait_ms)
    return frozenset(said.lines) if said is not None and said.code == 0 else frozenset()


def find_base(path: Path, one: str, other: str, wait_ms: int = GIT_WAIT_MS) -> str | None:
    """Return the commit where two lines parted; empty where they never met."""
    said = ask_git(path, "merge-base", one, other, wait_ms=wait_ms, is_costly=True)
    if said is None or said.code not in (0, 1):
        return None
    found = said.out.split("\n")[0]
    return found if is_full_hash(found) else ""


def list_named_merges(path: Path, base: str, wait_ms: int = GIT_WAIT_MS) -> dict[str, int]:
    """Return the branches that merges of a line name, and when the last of each was made."""
    words = ("log", "--merges", "--first-parent", "--no-show-signature", "--format=%ct %s")
    said = ask_git(
        path, *words, f"--max-count={_MERGES_MAX}", base, "--", wait_ms=wait_ms, is_costly=True
    )
    found: dict[str, int] = {}
    for line in said.lines if said is not None and said.code == 0 else ():
        at, _, subject = line.partition(" ")
        named = _NAMES_BRANCH.match(subject)
        if named and at.isdigit():
            found.setdefault(named[1] or named[2] or named[3], int(at) * 1000)
    return found


def read_log(common: Path, name: str) -> BranchLog | None:
    """Return what git's own log says of a branch that it lists; None where it keeps none."""
    path = common / "logs" / "refs" / "heads" / name
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        text = os.read(file, _LOG_BYTES_MAX).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(file)
    rows = [line.partition("\t") for line in text.split("\n")[:_LOG_LINES_MAX] if line]
    if not rows:
        return None
    stamp = rows[0][0].rpartition("> ")[2].split(" ")[0]
    is_whole = rows[0][0].startswith("0" * 40)  # git drops old lines: then its beginning is gone
    began = rows[0][2] if is_whole else ""
    return BranchLog(
        created_ms=int(stamp) * 1000 if stamp.isdigit() and began.startswith(_BEGAN) else 0,
        began_at=began.removeprefix(_BEGAN) if began.startswith(_BEGAN) else "",
        has_own=any(map(_is_made, (row[2] for row in rows))) or len(rows) == _LOG_LINES_MAX,
    )


def _is_made(said: str) -> bool:
    return said.startswith(_MADE) and not said.endswith("Fast-forward")
