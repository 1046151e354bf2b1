"""Search every project on this machine: each store in the data folder, one after the other.

A store that its daemon serves is asked through the daemon, the others are opened here. One
that is damaged or that somebody else has open is named and passed over. Other projects are
searched as they were last brought up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.ids import project_id
from agentx.kernel.paths import RESERVED_STORE_NAMES, StorePaths
from agentx.kernel.values import frozen
from agentx.memory.found import SearchHit, SearchReply, SearchRequest
from agentx.memory.port import Memory
from agentx.operations.recall.origins import mark_origins
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Identity, Project, Rule
from agentx.project.settings import SearchSettings
from agentx.project.trust.trust import Trust

CONSENT = "search.all_projects"

OpenStore = Callable[[Project], Memory]


@frozen
class PassedOver:
    """A project that could not be searched, and why."""

    project: str
    message: str
    hint: str


@frozen
class EverywhereReply:
    """What was found in any project, best first."""

    hits: tuple[SearchHit, ...]
    searched: tuple[str, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    notes: tuple[str, ...] = ()  # how the question was taken


def search_everywhere(
    project: Project, open_store: OpenStore, request: SearchRequest
) -> EverywhereReply:
    """Return the best hits of all projects, this one's among them.

    Raises: InvalidValue for a request that no project could answer, and where the user has not
        agreed that a search may look into other projects.
    """
    check_consent(project)
    hits: list[SearchHit] = []
    searched: list[str] = []
    passed_over: list[PassedOver] = []
    notes: dict[str, None] = {}
    for other in list_projects(project):
        try:
            with open_store(other) as memory:
                reply: SearchReply = memory.search(request)
        except InvalidValue:
            raise
        except AgentXError as error:
            passed_over.append(PassedOver(project=other.id, message=error.message, hint=error.hint))
            continue
        searched.append(other.id)
        notes.update(dict.fromkeys(reply.notes[:1]))
        hits += (replace(hit, project=other.id) for hit in reply.hits)
    record_act(project, AuditAct.READ_ELSEWHERE, projects=searched, hits=len(hits))
    hits.sort(key=lambda hit: (-hit.score, -hit.timestamp_ms))
    return EverywhereReply(
        hits=mark_origins(project, hits[: request.limit]),
        searched=tuple(searched),
        passed_over=tuple(passed_over),
        notes=tuple(notes),
    )


def check_consent(project: Project) -> None:
    """Raise InvalidValue unless the user let searches look into every project."""
    if not project.config.section(SearchSettings).all_projects:
        raise InvalidValue(
            "other projects are searched only once you have agreed to it",
            hint=f"agentx config set --user {CONSENT} true",
        )


def list_projects(project: Project) -> Iterator[Project]:
    """Yield this project and every other that has a store in the same data folder, by name."""
    names = {project.id: project.store}
    for folder in sorted(project.data.root.iterdir()) if project.data.root.is_dir() else ():
        if folder.name not in RESERVED_STORE_NAMES and StorePaths(folder).db.is_dir():
            with suppress(InvalidValue):
                names.setdefault(project_id(folder.name), StorePaths(folder))
    unified = project.data.unified_store
    for folder in sorted(unified.text_index.iterdir()) if unified.text_index.is_dir() else ():
        with suppress(InvalidValue):
            names.setdefault(project_id(folder.name), unified)
    for name, store in names.items():
        if store.db.is_dir():
            # Where its repository lies is not asked: only its store is looked at.
            identity = Identity(id=name, root=store.root, rule=Rule.DIRECTORY, natural=name)
            trust = Trust(store.root, None, project.data.trust)
            own = name == project.id
            yield project if own else replace(project, identity=identity, store=store, trust=trust)
