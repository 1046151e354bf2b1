"""What of questions is told at the start of a session; and where the repository is not trusted.

There it is the words of whom the user trusts alone: one pull of a stranger's question must not
keep a person's answer from who asked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from agentx.clarification.model import Clarification
from agentx.clarification.rendering import inbox_line
from agentx.clarification.store.signed_lines import read_own_words
from agentx.clarification.watch.inbox import inbox_among
from agentx.host.files.plain import is_folder
from agentx.kernel.errors import AgentXError
from agentx.project.project import Project
from agentx.recall.limits import CLARIFY_INBOX_MAX
from agentx.wiring.clarifications import (
    inbox,
    keep_signed,
    list_held,
    list_told,
    make_pen,
    open_clarifications,
    tell_unread,
)


def inbox_lines(project: Project, role: str) -> tuple[str, ...]:
    """Return what a role is shown at its session start; nothing where nobody ever asked."""
    if not (role and any(map(is_folder, project.asked))):
        return ()
    if not project.trust.has_data:
        return tuple(_tell_untrusted(project, role))
    waiting = inbox(project, role)
    now_ms = project.clock.now_ms()
    lines = [inbox_line(state, role, now_ms) for state in waiting[:CLARIFY_INBOX_MAX]]
    if len(waiting) > len(lines):
        lines.append(f"{len(waiting) - len(lines)} more: agentx clarify inbox {role}")
    return tuple(lines)


def list_own_told(project: Project) -> tuple[Clarification, ...]:
    """Return of what somebody may have to be told what the user, or whom they trust, asked."""
    survey = open_clarifications(project).survey()
    return tuple(list_own_words(project, list_told(survey)))


def list_own_words(project: Project, states: Iterable[Clarification]) -> Iterator[Clarification]:
    """Yield those of some questions that the user, or whom they trust, asked, with their words."""
    known = {state.uid: state for state in states}
    for issue in sorted({state.issue for state in known.values()}):
        with suppress(AgentXError):  # what cannot be read is told as that
            for own in read_own_words(project.paths, make_pen(project), project.clock, issue):
                if own.uid in known:
                    yield replace(own, id=known[own.uid].id)


def _tell_untrusted(project: Project, role: str) -> Iterator[str]:
    """Yield what a role is told where nobody trusts the repository: nothing in a stranger's words.

    What it asked here itself still waits.
    """
    survey = open_clarifications(project).survey()
    own = inbox_among(list_own_words(project, list_told(survey)), role)
    for state in own[:CLARIFY_INBOX_MAX]:
        yield inbox_line(state, role, project.clock.now_ms())
    for state in keep_signed(project, list_held(survey, role))[:CLARIFY_INBOX_MAX]:
        who = "a person" if state.waits_for_person else state.waits_on
        yield f"{state.id} of yours waits for {who} still"
    yield from tell_unread(survey)
    if (count := len(inbox_among(list_told(survey), role)) - len(own)) > 0:
        what = "question or answer is" if count == 1 else "questions and answers are"
        yield f"{count:,} {what} not told: the repository is not trusted (the user: agentx trust)"
