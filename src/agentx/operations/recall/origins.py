"""Where a found thing comes from: a stranger's repository, a branch that is not merged, or an issue
whose number another has by now.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace

from agentx.host.files.plain import is_folder
from agentx.memory.found import REPOSITORY_KINDS, SearchHit, SearchReply
from agentx.observations.ids import ID_PREFIX
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
    """Return hits, those from repositories that are not trusted and from branches with that.

    Also what was asked of an issue whose number another has.
    """
    found = mark_hits(project, hits)
    asked = _mark_asked(project, found)
    found = tuple(replace(hit, origin=asked.get(hit.doc_id) or hit.origin) for hit in found)
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


def _mark_asked(project: Project, hits: Iterable[SearchHit]) -> dict[str, str]:
    """Return what is said of those hits that were asked of another issue, by their ids."""
    mine = [hit for hit in hits if hit.project == project.id]
    if not (mine and any(map(is_folder, project.asked))):
        return {}
    from agentx.wiring.clarifications import mark_questions  # noqa: PLC0415  somebody asked something
    from agentx.wiring.observations import open_vouched  # noqa: PLC0415  as above
    from agentx.wiring.vouched.store import tell_other_issue  # noqa: PLC0415  as above

    marks = mark_questions(project, (hit.doc_id for hit in mine if hit.kind == "clarification"))
    kept = [hit.doc_id for hit in mine if hit.doc_id.startswith(ID_PREFIX)]
    if kept:
        with closing(open_vouched(project)) as store:
            marks |= {one.id: tell_other_issue(store, one) for one in store.get_by_ids(kept)}
    return {name: mark for name, mark in marks.items() if mark}
