"""Where a found thing comes from: a stranger's repository, or a branch that is not merged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.memory.found import REPOSITORY_KINDS, SearchHit, SearchReply
from agentx.operations.recall.branches import mark_hits
from agentx.project.project import Project

UNTRUSTED = "from the repository, not trusted"


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
    """Return hits, those from repositories that are not trusted and from branches with that."""
    found = mark_hits(project, hits)
    if not any(hit.kind in REPOSITORY_KINDS for hit in found):
        return found
    own = {project.id} if project.trust.has_data else set()
    elsewhere = project.trust.folder.list_told() - {project.id}
    return tuple(
        replace(hit, origin=UNTRUSTED)
        if hit.kind in REPOSITORY_KINDS and hit.project not in own | elsewhere
        else hit
        for hit in found
    )
