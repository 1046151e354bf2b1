"""Where a found thing comes from: a stranger's repository, a branch that is not merged, or an issue
whose number another has by now; and what speaks against it. An excerpt cannot cut that off.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from agentx.host.files.plain import is_folder
from agentx.kernel.text import CONTESTED, join_marks
from agentx.memory.found import REPOSITORY_KINDS, SearchHit, SearchReply
from agentx.observations.ids import ID_PREFIX
from agentx.operations.recall.branches import mark_hits
from agentx.project.project import Project

if TYPE_CHECKING:
    from agentx.observations.model import Observation

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

    Also what was asked of an issue whose number another has, and what is contested, or was decided
    otherwise later.
    """
    found = mark_hits(project, hits)
    asked = _mark_asked(project, found)
    found = tuple(replace(hit, origin=_join_origin(hit, asked)) for hit in found)
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


def mark_question(project: Project, name: str) -> str:
    """Return what must be told with a question; mostly nothing."""
    from agentx.wiring.clarifications import mark_questions  # noqa: PLC0415  somebody asked something

    return mark_questions(project, (name,)).get(name, "")


def _join_origin(hit: SearchHit, asked: Mapping[str, str]) -> str:
    """Return what is said of a hit; what was said goes by what was kept of it."""
    kept = hit.also if hit.kind == "event" else ()
    contested = CONTESTED if any(CONTESTED in asked.get(name, "") for name in kept) else ""
    return join_marks(asked.get(hit.doc_id, ""), contested, hit.origin)


def _mark_asked(project: Project, hits: Iterable[SearchHit]) -> dict[str, str]:
    """Return what must be told with what was asked, and what was kept of it, by their ids."""
    mine = [hit for hit in hits if hit.project == project.id]
    if not (mine and any(map(is_folder, project.asked))):
        return {}
    from agentx.wiring.clarifications import mark_questions  # noqa: PLC0415  somebody asked something
    from agentx.wiring.observations import open_vouched  # noqa: PLC0415  as above
    from agentx.wiring.vouched.store import tell_other_issue  # noqa: PLC0415  as above

    marks = mark_questions(project, (hit.doc_id for hit in mine if hit.kind == "clarification"))
    named = (name for hit in mine for name in (hit.doc_id, *hit.also))
    kept = [name for name in named if name.startswith(ID_PREFIX)]
    if kept:
        with closing(open_vouched(project)) as store:
            for one in store.get_by_ids(kept):
                marks[one.id] = join_marks(_mark_memory(one), tell_other_issue(store, one))
    return {name: mark for name, mark in marks.items() if mark}


def _mark_memory(one: Observation) -> str:
    """Return what questions say against a memory by now; of other memories the index does."""
    by = one.superseded_by.removeprefix(ID_PREFIX)
    replaced = f"superseded by {by}" if by and by == one.superseded_by else ""
    return join_marks(replaced, CONTESTED if one.contested else "", one.said_since)
