"""The branches of the repository that a folder belongs to, as they are at this moment."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from agentx.host.git.branches import (
    USUAL_DEFAULTS,
    find_default,
    list_apart,
    list_bases,
    list_refs,
)
from agentx.host.git.heads import find_worktree, read_checkout
from agentx.views.sessions.branches import KnownBranches, read_branch


def look_at_branches(directory: str) -> KnownBranches | None:
    """Return the branches where a session works; None where git cannot say."""
    folder = Path(directory)
    refs = list_refs(folder)
    if refs is None:
        return None
    checkout = read_checkout(folder)
    return KnownBranches(
        default=find_default(refs),
        current=read_branch(checkout.branch) if checkout is not None else "",
        tips={ref.name: ref.tip for ref in refs if not ref.remote},
        is_ahead=cache(lambda tip: _is_ahead(folder, tip, list_bases(refs))),
    )


@lru_cache(maxsize=256)  # every event names where it was
def find_root(directory: str) -> str:
    """Return the repository that a folder lies in; empty where it lies in none."""
    folder = Path(directory)
    found = find_worktree(folder) if folder.is_absolute() else None
    return str(found) if found is not None else ""


def find_checked_out(directory: str) -> tuple[str, str]:
    """Return the branch that is checked out in a folder and where it is; empty on the default."""
    known = look_at_branches(directory)
    if known is None or known.current in (known.default or "", *_usual(known.default)):
        return "", ""
    tip = known.tips.get(known.current, "")
    return known.current, tip if tip and known.is_ahead(tip) else ""


def _is_ahead(folder: Path, tip: str, bases: tuple[str, ...]) -> bool:
    return tip in (list_apart(folder, (tip,), bases) or ())


def _usual(default: str) -> tuple[str, ...]:
    return () if default else USUAL_DEFAULTS
