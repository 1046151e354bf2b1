"""What agents are at: questions that are open, runs, lessons that wait for a word."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agentx.clarification.model import Clarification, ClarificationStatus
from agentx.kernel.clock import age
from agentx.kernel.errors import AgentXError
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import preview
from agentx.operations.lessons.candidates import list_candidates
from agentx.operations.questions.read import Overview, active, inbox_of, say_unread, say_withheld
from agentx.operations.runs.read import RunRow, list_runs
from agentx.surfaces.page.asked import Answer, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import TITLE_CHARS_MAX, count, draw_chip, draw_nothing

_SHOWN_MAX = 100
_QUESTION = re.compile(r"CLR-\d{1,9}-\d+\b", re.ASCII)


def draw_work(desk: PageDesk, asked: PageCall) -> Answer:
    """Return what is open, what waits for the person first."""
    project = desk.project
    seen = active(project)
    runs = list_runs(project) if project.has_runs else ()
    now_ms = project.clock.now_ms()
    told = inbox_of(project, PERSON_ROLE).notes if project.has_questions or runs else ()
    body = join(
        _draw_questions(seen, told),
        _draw_runs(runs, now_ms),
        _draw_candidates(desk),
    )
    if asked.is_part:
        return PagePart(body=body)
    live = tag("div", body, data_live="/work", data_of="*")
    return WholePage(title="Work", here="work", body=join(tag("h1", "Work"), live))


def _draw_questions(seen: Overview, told: Iterable[str]) -> Html:
    yours = [each for each in seen.clarifications if each.waits_for_person]
    others = [each for each in seen.clarifications if not each.waits_for_person]
    asking = (
        tag(
            "li",
            draw_chip("asks you", "question"),
            " ",
            tag(
                "a", preview(each.asked.question, TITLE_CHARS_MAX), href=link_to("run", each.run_id)
            ),
            tag("span", f" {each.asked.actor}, run {each.run_id}", class_="quiet"),
        )
        for each in seen.run_questions
    )
    notes = [each for each in (say_unread(seen), say_withheld(seen), *seen.notes, *told) if each]
    return tag(
        "section",
        tag("h2", "Questions"),
        *(tag("p", _link_note(each), class_="against") for each in notes),
        tag(
            "ul",
            *asking,
            *_draw_rows(yours, seen.now_ms),
            *_draw_rows(others, seen.now_ms),
            class_="rows",
        )
        if seen.clarifications or seen.run_questions
        else draw_nothing("Nobody waits for an answer."),
        class_="card",
    )


def _link_note(note: str) -> Html:
    """Return what is told of a question with the way to it, where it can be said what holds."""
    named = _QUESTION.match(note)
    if named is None:
        return join(note)
    return join(tag("a", named[0], href=link_to("question", named[0])), note[named.end() :])


def _draw_rows(states: Iterable[Clarification], now_ms: int) -> Iterable[Html]:
    for state in states:
        is_answered = state.status is ClarificationStatus.ANSWERED
        waits_on = state.asker if is_answered else state.waits_on
        waits = "waits for you" if state.waits_for_person else f"waits for {waits_on}"
        yield tag(
            "li",
            draw_chip(state.status.value, "question"),
            " ",
            tag("a", preview(state.topic, TITLE_CHARS_MAX), href=link_to("question", state.id)),
            tag(
                "span",
                f" {state.id}, {state.asker} asks {state.to}, {waits}, "
                f"{age(state.created_ms, now_ms=now_ms)}",
                class_="quiet",
            ),
        )


def _draw_runs(runs: tuple[RunRow, ...], now_ms: int) -> Html:
    rows = (
        tag(
            "li",
            draw_chip(row.status.replace("_", " ").lower(), row.status.lower()),
            " ",
            tag("a", preview(row.title, TITLE_CHARS_MAX), href=link_to("run", row.run_id)),
            tag(
                "span",
                f" {row.phase.lower()}, {row.tasks_done} of {count(row.tasks, 'task')}, "
                f"{count(row.lanes_open, 'open lane')}, {age(row.updated_ms, now_ms=now_ms)}",
                class_="quiet",
            ),
            draw_chip(f"{row.blockers} blocked", "error") if row.blockers else None,
        )
        for row in runs[:_SHOWN_MAX]
    )
    return tag(
        "section",
        tag("h2", "Runs"),
        tag("ul", *rows, class_="rows")
        if runs
        else draw_nothing("There is no run: agentx run start begins one."),
        class_="card",
    )


def _draw_candidates(desk: PageDesk) -> Html | None:
    if not desk.project.has_runs:
        return None
    try:
        waiting = len(list_candidates(desk.project))
    except AgentXError:
        return None
    if not waiting:
        return None
    said = f"{count(waiting, 'lesson')} that runs propose"
    return tag(
        "section",
        tag("h2", "Lessons"),
        tag("p", tag("a", said, href="/lessons"), " wait for your word"),
        class_="card",
    )
