"""A question with its thread, and the person's answer to it."""

from __future__ import annotations

import re

from agentx.clarification.model import Clarification
from agentx.clarification.rendering import next_actions, terminal
from agentx.kernel.errors import AgentXError, InvalidValue, NotFound
from agentx.operations.questions.read import (
    note_told,
    say_unheld,
    say_unsent,
    tell_asked_again,
    tell_said_elsewhere,
    thread,
)
from agentx.operations.questions.shown import (
    answer_shown,
    find_said_for,
    may_settle,
    settle_shown,
    sum_up_doubt,
    sum_up_shown,
)
from agentx.surfaces.page.asked import (
    Answer,
    Away,
    PageCall,
    PagePart,
    WholePage,
    find_status,
    link_to,
)
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_chip, draw_form, draw_refused, draw_written

_NAME = re.compile(r"CLR-(\d{1,9})-\d+(?:@\S+)?", re.ASCII)
_WORDS_CHARS_MAX = 20_000


def draw_question(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Return a question with all that was said; what is shown is what a person answers.

    What is drawn anew by itself may be before nobody's eyes: only who asks for it was shown it.

    Raises: NotFound, InvalidValue.
    """
    state = _find(desk, name)
    if desk.caller.is_person and not (asked.is_part or asked.find_sender()):
        note_told(desk.project, (state,))
    body = _draw(desk, asked, state)
    if asked.is_part:
        return PagePart(body=body)
    live = tag("div", body, data_live=link_to("question", name), data_of="questions")
    return WholePage(title=state.topic, here="work", body=live)


def say(desk: PageDesk, asked: PageCall, name: str) -> Answer:
    """Say what the person answers: to what their own page showed them, and as them.

    What cannot be said stays written, below what is asked now.

    Raises: NotFound, InvalidValue.
    """
    text = asked.form.get("text", "").strip()
    state = _find(desk, name)
    try:
        check_length(text)
        does = settle_shown if asked.form.get("does") == "settle" else answer_shown
        does(desk.project, state, text, shown=asked.form.get("shown", ""), caller=desk.caller)
    except AgentXError as error:
        return _draw_unsaid(desk, asked, name, error)
    desk.forget_waiting()
    return Away(to=link_to("question", name))


def check_length(text: str) -> None:
    """See that there is an answer, and not too long a one.

    Raises: InvalidValue.
    """
    if not text:
        raise InvalidValue("there is no answer", hint="write one")
    if len(text) > _WORDS_CHARS_MAX:
        why = f"an answer has at most {_WORDS_CHARS_MAX:,} characters, and this has {len(text):,}"
        raise InvalidValue(why, hint="say it in fewer")


def _find(desk: PageDesk, name: str) -> Clarification:
    named = _NAME.fullmatch(name)
    if named is None:
        raise InvalidValue(f"{name} is no question", hint="a question is called CLR-1-001")
    found = thread(desk.project, int(named[1])).clarifications
    for state in found:
        if name in (state.id, state.exact, state.formerly):
            return state
    raise NotFound(f"{name}: nobody asked that", hint="the Work page has what is open")


def _draw(desk: PageDesk, asked: PageCall, state: Clarification) -> Html:
    told = [
        tell_asked_again(state),
        tell_said_elsewhere(state),
        state.issue_now,
        say_unsent(desk.project, state),
        say_unheld(desk.project, state),
    ]
    lines = terminal(state, colour=False, say_time=desk.dates.say).splitlines()
    return join(
        tag("h1", state.topic, " ", draw_chip(state.status.value, "question")),
        tag(
            "section",
            # A line that is too long stands in where it goes on: none begins as another would.
            tag("div", *(tag("div", each, class_="said") for each in lines), class_="words thread"),
            *(tag("p", each, class_="against") for each in told if each),
            class_="card",
        ),
        _draw_answer(desk, asked, state),
    )


def _draw_answer(desk: PageDesk, asked: PageCall, state: Clarification) -> Html | None:
    text = asked.written
    waits = state.is_active and state.waits_for_person
    if not waits and may_settle(state) and desk.may_speak(asked):
        return _draw_settling(desk, asked, state)
    if not waits or not desk.may_speak(asked):
        kept = draw_written(text)
        actions = next_actions(state)[:1] if state.is_active else ()
        return join(kept, *(tag("p", "next: ", tag("code", each)) for each in actions))
    field = tag("textarea", text, id="text", name="text", required=True)
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
            shown=sum_up_shown(state),
        ),
        class_="card waits",
    )


def _draw_settling(desk: PageDesk, asked: PageCall, state: Clarification) -> Html:
    """Return the form by which a person says what holds of what is in doubt."""
    said = find_said_for(state)
    text = asked.form.get("text", said)
    told = "A program said this for you. Say it yourself, or what holds instead."
    return tag(
        "section",
        tag("h2", "What holds"),
        draw_form(
            link_to("question", state.exact),
            desk.form_word,
            "Say it as you",
            tag("label", told if said else "This is in doubt. Say what holds.", for_="text"),
            tag("textarea", text, id="text", name="text", required=True),
            kind="main",
            shown=sum_up_doubt(state),
            does="settle",
        ),
        class_="card waits",
    )


def _draw_unsaid(desk: PageDesk, asked: PageCall, name: str, error: AgentXError) -> WholePage:
    """Return what is asked now, why an answer was not taken, and the answer as it was written."""
    state = _find(desk, name)
    note_told(desk.project, (state,))
    body = join(draw_refused(error), _draw(desk, asked, state))
    return WholePage(title=state.topic, here="work", body=body, status=find_status(error))
