"""The branches of the repository that a folder belongs to, as they are at this moment."""

from __future__ import annotations

from pathlib import Path

from agentx.host.git.branches import USUAL_DEFAULTS, find_default, list_refs
from agentx.host.git.heads import read_checkout
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
    )


def find_checked_out(directory: str) -> tuple[str, str]:
    """Return the branch that is checked out in a folder and where it is; empty on the default."""
    known = look_at_branches(directory)
    if known is None or known.current in (known.default or "", *_usual(known.default)):
        return "", ""
    return known.current, known.tips.get(known.current, "")


def _usual(default: str) -> tuple[str, ...]:
    return () if default else USUAL_DEFAULTS
