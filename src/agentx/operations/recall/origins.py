"""Where a found thing comes from: a stranger's repository, a branch that is not merged, or an issue
whose number another has by now; and what speaks against it. An excerpt cannot cut that off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from agentx.kernel.roles import is_persons_name
from agentx.kernel.text import CONTESTED, join_marks
from agentx.memory.found import (
    CLARIFICATION,
    LESSON,
    OBSERVATION,
    REPOSITORY_KINDS,
    RUN_EVENT,
    SearchHit,
    SearchReply,
)
from agentx.observations.ids import ID_PREFIX
from agentx.operations.recall.branches import mark_hits
from agentx.project.project import Project

UNTRUSTED = "from the repository, not trusted"
# Of another project the words alone are found here: what speaks against them is known there.
UNHEARD = "what speaks against it is told there"
_OF_PEOPLE = (CLARIFICATION, RUN_EVENT, LESSON)
_MARKED = (*_OF_PEOPLE, OBSERVATION)


def origin_of(project: Project, kind: str) -> str:
    """Return what is to be said of a thing of this kind; nothing for what is the user's."""
    return UNTRUSTED if kind in REPOSITORY_KINDS and not project.trust.has_data else ""


def origin_of_data(project: Project) -> str:
    """Return what is to be said of issues, questions, runs and lessons; nothing if trusted."""
    trust = project.trust
    return "" if trust.has_data or not trust.holds_data else UNTRUSTED


def mark_reply(project: Project, reply: SearchReply) -> SearchReply:
    """Return an answer, its hits with their origin."""
    return replace(reply, hits=mark_origins(project, reply.hits))


def mark_origins(project: Project, hits: Iterable[SearchHit]) -> tuple[SearchHit, ...]:
    """Return hits, those from repositories that are not trusted and from branches with that.

    Also with what must be told of it, as `tell_against` says.
    """
    found = mark_hits(project, hits)
    asked = _mark_asked(project, found)
    found = tuple(replace(hit, origin=_join_origin(project, hit, asked)) for hit in found)
    if not any(hit.kind in REPOSITORY_KINDS for hit in found):
        return found
    own = {project.id} if project.trust.has_data else set()
    elsewhere = project.trust.folder.list_told() - {project.id}
    return tuple(
        replace(hit, origin=join_marks(UNTRUSTED, hit.origin))
        if hit.kind in REPOSITORY_KINDS and hit.project not in own | elsewhere
        else hit
        for hit in found
    )


def mark_thing(project: Project, kind: str, name: str) -> str:
    """Return what must be told with one thing; mostly nothing."""
    return _tell_against(project, ((kind, name),)).get(name, "")


def _join_origin(project: Project, hit: SearchHit, asked: Mapping[str, str]) -> str:
    """Return what is said of a hit; what was said goes by what was kept of it."""
    if hit.project != project.id:
        is_persons = hit.kind == OBSERVATION and is_persons_name(hit.agent)
        return join_marks(UNHEARD if hit.kind in _OF_PEOPLE or is_persons else "", hit.origin)
    kept = hit.also if hit.kind == "event" else ()
    contested = CONTESTED if any(CONTESTED in asked.get(name, "") for name in kept) else ""
    return join_marks(asked.get(hit.doc_id, ""), contested, hit.origin)


def _mark_asked(project: Project, hits: Iterable[SearchHit]) -> dict[str, str]:
    """Return what must be told with what was found, and with what was kept of it, by their ids."""
    mine = [hit for hit in hits if hit.project == project.id]
    kept = (name for hit in mine for name in hit.also if name.startswith(ID_PREFIX))
    named = ((hit.kind, hit.doc_id) for hit in mine)
    return _tell_against(project, (*named, *((OBSERVATION, name) for name in kept)))


def _tell_against(project: Project, found: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return what must be told with things; where none can have any, nothing is imported."""
    if not any(kind in _MARKED for kind, _ in found):
        return {}
    from agentx.wiring.told.against import tell_against  # noqa: PLC0415  see above

    return tell_against(project, found)
