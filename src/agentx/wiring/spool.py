"""The spool of a project: what hooks left, how it is known whose it is, and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.capture.spool import Spool
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import AgentXError
from agentx.project.exclusion import is_left_out
from agentx.project.project import Project
from agentx.project.settlement import bind, is_ours

if TYPE_CHECKING:
    from agentx.capture.drain import SessionNames
    from agentx.conversation.service import Conversation
    from agentx.memory.port import Drained
    from agentx.views.recall_tally import SessionTold


def open_spool(project: Project) -> Spool:
    """Return what hooks have spooled for a project's store."""
    own, *fallbacks = project.environment.spools
    return Spool(
        own=own,
        fallbacks=tuple(fallbacks),
        store=project.store,
        is_ours=partial(is_ours, project.data),
        bind=partial(bind, project),
        is_excluded=partial(is_left_out, project),
    )


def drain_into(
    log: Conversation,
    project: Project,
    tell: Callable[[SessionTold], None],
    told: HowFar = unheard,
) -> Drained:
    """Take what hooks have spooled for a project's store; tell what sessions were told."""
    # Many look into the spool; only who has the store open takes something out of it.
    from agentx.capture.drain import Intake, drain_spool  # noqa: PLC0415  see above
    from agentx.capture.faults import Faults  # noqa: PLC0415  see above
    from agentx.project.claims import note_place  # noqa: PLC0415  see above

    intake = Intake(
        store=project.store,
        faults=Faults(project.store.faults, project.clock),
        find_run=partial(_find_work, project),
        attach=partial(_attach, project),
        now_ms=project.clock.now_ms(),
    )
    try:
        done = drain_spool(open_spool(project), log, intake, told)
    finally:  # what was taken is told of, also when somebody has it leave off
        for note in intake.recalled:
            tell(note.fact)
    if done.stored:
        with suppress(AgentXError):  # it serves a move that may never come
            note_place(project)
    return done


def _attach(project: Project, work: Mapping[str, str], sessions: SessionNames) -> None:
    from agentx.wiring.bound.sessions import attach_sessions  # noqa: PLC0415  few work in lanes

    with suppress(AgentXError, OSError):  # what was captured is kept, whatever a run says of it
        attach_sessions(project, work, sessions)


def _find_work(project: Project, folder: str) -> dict[str, str]:
    if not (project.has_runs and project.trust.has_data):
        return {}
    from agentx.wiring.runs import find_work  # noqa: PLC0415  most projects have no runs

    return find_work(project, Path(folder))
