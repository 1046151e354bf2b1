"""What must be told with anything that was found: the one place that whoever tells it asks.

What was written, merged or trusted since it was indexed counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

from agentx.host.files.plain import is_folder
from agentx.kernel.text import join_marks
from agentx.memory.found import CLARIFICATION, LESSON, OBSERVATION, RUN_EVENT
from agentx.observations.ids import ID_PREFIX
from agentx.observations.labels import say_decider
from agentx.project.project import Project


def tell_against(project: Project, found: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return by the ids of things, given with their kinds, what must be told with each; mostly
    nothing.

    That is what speaks against a person's word, or that nobody saw them say it; and of which issue
    it was where another has its number by now.
    """
    by_kind: dict[str, list[str]] = {}
    for kind, name in found:
        by_kind.setdefault(kind, []).append(name)
    marks: dict[str, str] = {}
    asked = any(map(is_folder, project.asked))
    if asked and (names := by_kind.get(CLARIFICATION)):
        from agentx.wiring.clarifications import mark_questions  # noqa: PLC0415  one was found

        marks |= mark_questions(project, names)
    if project.has_runs and (names := by_kind.get(RUN_EVENT)):
        marks |= _mark_events(project, names)
    if names := by_kind.get(LESSON):
        marks |= _mark_lessons(project, names)
    if asked and (names := by_kind.get(OBSERVATION)):
        marks |= _mark_memories(project, names)
    return {name: mark for name, mark in marks.items() if mark}


def _mark_events(project: Project, names: list[str]) -> dict[str, str]:
    """Return what must be told with what was said in runs, by the events that hold it."""
    from agentx.runs.rendering import mark_event  # noqa: PLC0415  as above
    from agentx.wiring.runs import open_runs  # noqa: PLC0415  as above

    return {
        event.id: mark_event(event, run)
        for run, events in open_runs(project).list_stories_of(names)
        for event in events
        if event.id in names
    }


def _mark_lessons(project: Project, names: list[str]) -> dict[str, str]:
    """Return what speaks against answers to runs that lessons repeat."""
    from agentx.wiring.taught.lessons import open_lessons, tell_lessons  # noqa: PLC0415  as above

    known = open_lessons(project).read().known.lessons.values()
    told = tell_lessons(project, (each for each in known if each.id in names))
    return {each.id: each.against for each in told}


def _mark_memories(project: Project, names: list[str]) -> dict[str, str]:
    """Return what questions say against memories by now; of other memories the index does."""
    from agentx.wiring.observations import open_vouched  # noqa: PLC0415  as above
    from agentx.wiring.vouched.store import tell_other_issue  # noqa: PLC0415  as above

    with closing(open_vouched(project)) as store:
        return {
            one.id: join_marks(
                say_decider(one.content),
                _say_replaced(one.superseded_by),
                one.against,
                tell_other_issue(store, one),
            )
            for one in store.get_by_ids(names)
        }


def _say_replaced(by: str) -> str:
    """Return that a question replaced a memory; that another memory did the index knows."""
    return f"superseded by {by}" if by and not by.startswith(ID_PREFIX) else ""
