"""Which lessons of earlier runs the agents of a driven run were given, and when."""

from __future__ import annotations

from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.runs.model import Run
from agentx.runs.parts.turns import AgentTurn

_TURNS_NAMED_MAX = 6


@frozen
class GivenLesson:
    """A lesson, and who was given it."""

    lesson: str
    to: tuple[str, ...]  # the plan, or tasks with the number of the turn


def list_given(project: Project, run: Run) -> tuple[GivenLesson, ...]:
    """Return the lessons that agents of a run were given; one that is gone keeps its id for good.

    Cheap where none were.
    """
    found = _collect(run)
    if not found:
        return ()
    from agentx.wiring.taught.lessons import open_lessons  # noqa: PLC0415  few runs are driven

    known = open_lessons(project).read().known
    named = {uid: known.find(uid) for uid in found}
    return tuple(
        GivenLesson(lesson=uid if (lesson := named[uid]) is None else lesson.id, to=to)
        for uid, to in found.items()
    )


def say_given(run: Run, lesson: str) -> tuple[str, ...]:
    """Return to whom of a run a lesson was given, by its id for good."""
    return _collect(run).get(lesson, ())


def _collect(run: Run) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    numbers: dict[str, int] = {}
    for turn in run.turns:
        numbers[turn.task] = numbers.get(turn.task, 0) + 1
        for uid in dict.fromkeys(turn.lessons):
            found.setdefault(uid, []).append(_name(turn, numbers[turn.task]))
    return {
        uid: (
            *to[:_TURNS_NAMED_MAX],
            *([f"{len(to) - _TURNS_NAMED_MAX} more"] * (len(to) > _TURNS_NAMED_MAX)),
        )
        for uid, to in found.items()
    }


def _name(turn: AgentTurn, number: int) -> str:
    what = f"{turn.task} turn {number}" if turn.task else "the plan"
    return f"{what} ({turn.runner})"
