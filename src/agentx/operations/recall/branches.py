"""On which branch a memory was learnt, and whether it holds here: for who lists and opens them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from agentx.host.files.plain import read_bytes
from agentx.kernel.errors import AgentXError
from agentx.kernel.text import preview, printable
from agentx.kernel.values import frozen
from agentx.memory.found import SearchHit
from agentx.observations.ids import ID_PREFIX
from agentx.project.project import Project

if TYPE_CHECKING:
    from agentx.observations.model import Observation
    from agentx.recall.branches.reach import Reach

_NAME_CHARS_MAX = 80
_NOTE_BYTES_MAX = 4 * 1024 * 1024
_HOLDS = {"everywhere": "holds everywhere", "here": "holds here", "elsewhere": "not merged"}


@frozen
class LearntOn:
    """The branch of a memory, how far it reaches, and why."""

    branch: str = ""
    extent: str = "everywhere"  # everywhere, here, elsewhere, abandoned
    why: str = ""
    mark: str = ""  # what is said of it where it does not hold

    def __str__(self) -> str:
        if not self.branch:
            return ""
        where = f"learnt on {preview(printable(self.branch), _NAME_CHARS_MAX)}"
        return (
            f"{where} ({_HOLDS.get(self.extent, self.extent)}: {self.why})" if self.why else where
        )


def find_learnt_on(project: Project, one: Observation) -> LearntOn:
    """Return on which branch a memory was learnt, and how far it reaches."""
    if not one.branch:
        return LearntOn()
    reach = _find(project, (one,)).get(one.id)
    if reach is None:
        return LearntOn(branch=one.branch, why="" if project.trust.common else "no git here")
    return LearntOn(branch=one.branch, extent=reach.extent, why=reach.why, mark=reach.mark)


def mark_memories(project: Project, ids: Collection[str]) -> dict[str, str]:
    """Return what is said of those memories that hold elsewhere, by their ids."""
    if not ids:
        return {}
    # Imported by who lists memories, and only where there is a branch.
    from agentx.wiring.observations import open_observations  # noqa: PLC0415  see above

    with closing(open_observations(project)) as room:
        found = [one for one in room.store.get_by_ids(ids) if one.branch]
    marks = ((name, reach.mark) for name, reach in _find(project, found).items())
    return {name: mark for name, mark in marks if mark}


def mark_hits(project: Project, hits: Iterable[SearchHit]) -> tuple[SearchHit, ...]:
    """Return hits, those of this project's memories that hold elsewhere with where.

    An event goes by the memories that were drawn from it.
    """
    found = tuple(hits)
    mine = {
        hit.doc_id: [each for each in (hit.doc_id, *hit.also) if each.startswith(ID_PREFIX)]
        for hit in found
        if hit.kind in ("event", "observation") and hit.project == project.id
    }
    named = {name for names in mine.values() for name in names}
    if not named or not _has_branches(project):
        return found
    marks = mark_memories(project, named)
    said = {
        name: marks[ids[0]] if ids and all(one in marks for one in ids) else ""
        for name, ids in mine.items()
    }
    return tuple(replace(hit, origin=said.get(hit.doc_id) or hit.origin) for hit in found)


def _has_branches(project: Project) -> bool:
    """Tell whether git knew any branch when it was last asked: without one all counts as merged."""
    try:
        note = read_bytes(project.store.branches, bytes_max=_NOTE_BYTES_MAX)
    except (OSError, AgentXError):
        return False
    return b'"branches"' in note or b'"last_tips"' in note


def _find(project: Project, memories: Sequence[Observation]) -> dict[str, Reach]:
    if not memories:
        return {}
    from agentx.wiring.bound.branches import find_reaches  # noqa: PLC0415  only where there is a branch

    return dict(find_reaches(project, memories))
