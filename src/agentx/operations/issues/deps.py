"""What an issue waits for, and what waits for it."""

from __future__ import annotations

from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.wiring.clarifications import blocking_questions
from agentx.wiring.hub import open_issues
from agentx.work.ready import mark_waiting


@frozen
class DepsReply:
    """What stands in an issue's way."""

    number: int
    blocked: bool
    open_blockers: tuple[int, ...]
    done_blockers: tuple[int, ...]
    unknown_blockers: tuple[int, ...]
    blocks: tuple[int, ...]
    cycle: tuple[int, ...]
    questions: tuple[str, ...] = ()  # that hold it, in words


def deps(project: Project, number: int) -> DepsReply:
    """Say what an issue waits for.

    Raises: NotFound.
    """
    found = open_issues(project).standing(number)
    asked = blocking_questions(project).get(number, ())
    return DepsReply(
        number=number,
        blocked=found.is_blocked or bool(asked),
        open_blockers=found.open_blockers,
        done_blockers=found.done_blockers,
        unknown_blockers=found.unknown_blockers,
        blocks=found.blocks,
        cycle=found.cycle,
        questions=tuple(map(mark_waiting, asked)),
    )
