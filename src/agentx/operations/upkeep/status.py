"""Say what is remembered and what is running."""

from __future__ import annotations

from contextlib import closing

from agentx.host.files.plain import is_folder
from agentx.kernel.values import frozen
from agentx.memory.port import Memory, MemoryStatus
from agentx.operations.capture.waiting import WaitingRecords, list_waiting
from agentx.operations.setup.installed import list_installed
from agentx.operations.setup.setup import SetupInputs
from agentx.project.project import Project
from agentx.search.model import IndexReport


@frozen
class RoomsStatus:
    """What the rooms beside the log hold."""

    observations: int
    lessons: int
    questions_open: int
    active_run: str


@frozen
class StatusReply:
    """One look at the project's memory."""

    project_id: str
    root: str
    rule: str
    store: str
    memory: MemoryStatus
    indexes: IndexReport
    rooms: RoomsStatus
    hooks: tuple[str, ...]
    waiting: tuple[WaitingRecords, ...]  # what lies in any spool, and why


def status(project: Project, memory: Memory, inputs: SetupInputs) -> StatusReply:
    """Say what is remembered of this project, and what is running."""
    return StatusReply(
        project_id=project.id,
        root=str(project.root),
        rule=project.identity.rule,
        store=str(project.store.root),
        memory=memory.status(),
        indexes=memory.index_report(),
        rooms=_rooms(project),
        hooks=list_installed(project, inputs),
        waiting=list_waiting(project),
    )


def _rooms(project: Project) -> RoomsStatus:
    """Count what the rooms hold; one that is not there costs nothing."""
    paths = project.paths
    return RoomsStatus(
        observations=_observations(project) if is_folder(paths.observations) else 0,
        lessons=_lessons(project) if is_folder(paths.lessons) else 0,
        questions_open=_questions(project) if is_folder(paths.ledgers) else 0,
        active_run=_run(project) if is_folder(paths.runs) else "",
    )


def _observations(project: Project) -> int:
    from agentx.wiring.observations import open_observations  # noqa: PLC0415  a room that is empty costs nothing

    with closing(open_observations(project)) as room:
        return room.stats().total_observations


def _lessons(project: Project) -> int:
    from agentx.wiring.taught.lessons import open_lessons  # noqa: PLC0415  as above

    known = open_lessons(project).read().known
    return sum(lesson.is_active for lesson in known.lessons.values())


def _run(project: Project) -> str:
    from agentx.wiring.runs import active_run  # noqa: PLC0415  as above

    return active_run(project)


def _questions(project: Project) -> int:
    from agentx.wiring.clarifications import open_clarifications  # noqa: PLC0415  as above

    return len(open_clarifications(project).survey().active)
