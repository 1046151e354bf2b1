"""A question with its thread, and the person's answer to it."""

from __future__ import annotations

import re

from agentx.clarification.model import Clarification
from agentx.clarification.rendering import next_actions, terminal
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.operations.questions.read import (
    note_told,
    tell_asked_again,
    tell_said_elsewhere,
    thread,
)
from agentx.operations.questions.settle import answer
from agentx.surfaces.page.asked import Answer, Away, PageCall, PagePart, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_chip, draw_form

_NAME = re.compile(r"CLR-(\d{1,9})-\d+(?:@\S+)?", re.ASCII)
_WORDS_CHARS_MAX = 20_000


def draw_question(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return a question with all that was said; what is shown is what a person answers.

    Raises: NotFound, InvalidValue.
    """
    state = _find(desk, name)
    if desk.caller.is_person:
        note_told(desk.project, (state,))
    dates = desk.dates
    told = [tell_asked_again(state), tell_said_elsewhere(state), state.issue_now]
    thread_words = terminal(state, colour=False, say_time=dates.say)
    body = join(
        tag("h1", state.topic, " ", draw_chip(state.status.value, "question")),
        tag(
            "section",
            tag("div", thread_words, class_="words thread"),
            *(tag("p", each, class_="against") for each in told if each),
            class_="card",
        ),
        _draw_answer(desk, state),
    )
    if asked.is_part:
        return PagePart(body=body)
    live = tag("div", body, data_live=link_to("question", name), data_of="questions")
    return WholePage(title=state.topic, here="work", body=live)


def say(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Say what the person answers: to what they were shown, and as them.

    Raises: NotFound, InvalidValue, IllegalTransition, LockTimeout; NotThePerson.
    """
    text = asked.form.get("text", "").strip()[:_WORDS_CHARS_MAX]
    if not text:
        raise InvalidValue("there is no answer", hint="go back and write one")
    by = "" if desk.caller.is_agent else "human"
    answer(desk.project, name, text, by=by, caller=desk.caller)
    desk.forget_waiting()
    return Away(to=link_to("question", name))


def _find(desk: PageDesk, name: str) -> Clarification:
    named = _NAME.fullmatch(name)
    if named is None:
        raise InvalidValue(f"{name} is no question", hint="a question is called CLR-1-001")
    found = thread(desk.project, int(named[1])).clarifications
    for state in found:
        if name in (state.id, state.exact, state.formerly):
            return state
    raise NotFound(f"{name}: nobody asked that", hint="the Work page has what is open")


def _draw_answer(desk: PageDesk, state: Clarification) -> Html | None:
    if not state.is_active:
        return None
    if not state.waits_for_person or desk.read_only:
        actions = next_actions(state)
        return tag("p", "next: ", tag("code", actions[0])) if actions else None
    field = tag("textarea", id="text", name="text", required=True, maxlength=_WORDS_CHARS_MAX)
    return tag(
        "section",
        tag("h2", "Your answer"),
        draw_form(
            link_to("question", state.exact),
            desk.form_word,
            "Answer as you",
            tag("label", "What holds. Whoever asked is told it in your words.", for_="text"),
            field,
            kind="main",
        ),
        class_="card waits",
    )
