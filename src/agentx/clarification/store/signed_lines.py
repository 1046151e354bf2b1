"""Signed lines of questions: which git could still take back, and what they alone come to.

They are held in the user's folder (`files.held`) once they are seen, unless that takes nothing. In
a repository that is not trusted nothing else is told: the rest may be in a stranger's words.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from agentx.clarification.model import Clarification
from agentx.clarification.store.book import Pen
from agentx.clarification.store.files.held import HeldLines
from agentx.clarification.store.files.question_files import QuestionFiles
from agentx.clarification.store.fold import fold
from agentx.clarification.store.ledger_json import clarification_of
from agentx.clarification.store.vouching.signatures import judge_event, judge_events
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import ProjectPaths


def find_unheld(paths: ProjectPaths, pen: Pen, clock: Clock, issue: int) -> frozenset[str]:
    """Return the questions of an issue of which a line that somebody vouches for cannot be held.

    What can be held now is.

    Raises: UnknownVersion, UnavailableError, UnsafePath.
    """
    if pen.held is None:
        return frozenset()
    known: set[tuple[str, str]] = set()
    place = pen.held / str(issue)
    with suppress(AgentXError):  # what cannot be read holds nothing
        known |= {(each.writer, each.id) for each in QuestionFiles(place, clock).read().events}
    judge = partial(judge_event, issue, signatures=pen.signatures)
    files = QuestionFiles(paths.questions / str(issue), clock, HeldLines(place, judge))
    found = files.read()
    loose = [
        each
        for each in found.events
        if (each.writer, each.id) not in known and judge(each).is_signed
    ]
    is_held = files.hold(loose, as_of=found.sizes)
    return frozenset() if is_held else frozenset(each.question for each in loose)


def read_own_words(
    paths: ProjectPaths, pen: Pen, clock: Clock, issue: int
) -> tuple[Clarification, ...]:
    """Return what vouched events of an issue come to, under the names that these alone give.

    Raises: UnknownVersion, UnavailableError, UnsafePath.
    """
    events = QuestionFiles(paths.questions / str(issue), clock).read().events
    judged = judge_events(issue, events, pen.signatures)
    rows = fold(issue, (each for each in judged if each.is_vouched)).pages().values()
    return tuple(clarification_of(row, issue) for row in rows)
