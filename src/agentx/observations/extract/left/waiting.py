"""What waits for the user: a question at the very end of a session, or something only they can do.

    "Should I delete the old table, or keep it for a month?"
    "Which way do you want to go?"               with the options it was about
    "You need to add the key before this works."

An offer to go on ("Want me to commit it?", "Anything else?") waits for nobody.
"""

from __future__ import annotations

from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.tools import Use
from agentx.exchanges.turns import Turn
from agentx.observations.extract.left.asking import (
    ABOUT_MIN,
    POINTS,
    asks_what_to_do,
    leaves_to_you,
    offers_ways,
    read_question,
    wants_answer,
)
from agentx.observations.extract.settled.options import list_options
from agentx.prose import cues
from agentx.prose.sentences import Block, is_question, shorten

_STANDS_MIN = 3  # words of a question that says what it is about though it points to something
_QUESTIONS_MAX = 3
_SAID_AFTER_MAX = 4
# Who asks, and then says what was taken, asks nobody.
_ANSWERS_ITSELF = cues.at_the_start(
    r"""
    yes | no | i (?:chose|took|kept|decided|left|went|used|assumed) | because | it | they
    ja | nein | s\u00ed | oui | non | weil | porque | parce que | ich habe
    """
)
_OPTIONS_MAX = 4
_OPTION_CHARS = 48
_BEFORE_CHARS = 140


def find_unanswered(last: Exchange, boot: Boot) -> list[tuple[Turn, str]]:
    """Return what a session asked at its very end: nobody answered it."""
    waiting = [
        (step.call, question)
        for step in last.steps
        if step.use is Use.QUESTION and step.result is None
        for question in _read_questions(step.call)
    ]
    closing = last.closing
    if waiting or closing is None:
        return waiting
    said = lines(closing, boot)
    offers = len(list_options(closing.text)) > 1
    asking = list_last_questions(said)
    asked = [
        line
        for at, line in enumerate(said)
        if line in asking
        and wants_answer(
            line.own,
            has_options=offers or (at > 0 and offers_ways(said[at - 1].own)),
            is_left=any(leaves_to_you(each.own) for each in said[at + 1 :]),
        )
    ]
    return [(closing, _tell(line, said, closing.text)) for line in asked[-1:]]


def list_last_questions(said: tuple[Line, ...]) -> list[Line]:
    """Return the questions with which a reply ends.

    What is to be done may be asked before the last word, which then says of what, or why.
    """
    found: list[Line] = []
    end = len(said)
    for line in reversed(said[-_SAID_AFTER_MAX:]):
        if is_question(line.own):
            if end < len(said) and not (asks_what_to_do(line.own) or leaves_to_you(said[end].own)):
                end = len(said)
            break
        if line.block is not Block.PROSE or (
            _ANSWERS_ITSELF.match(line.own) and not leaves_to_you(line.own)
        ):
            end = len(said)
            break
        end -= 1
    else:
        end = len(said)
    for line in reversed(said[:end]):
        if not is_question(line.own) or len(found) == _QUESTIONS_MAX:
            break
        found.append(line)
    return found[::-1]


def _read_questions(call: Turn) -> list[str]:
    given = call.arguments if isinstance(call.arguments, dict) else {}
    asked = given.get("questions")
    rows = asked if isinstance(asked, list) else []
    texts = [row.get("question") for row in rows if isinstance(row, dict)]
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _tell(line: Line, said: tuple[Line, ...], reply: str) -> str:
    """Return a question with what it is about: its options, or the sentence before it."""
    own, about = line.own, read_question(line.own)
    options = list_options(reply)[:_OPTIONS_MAX] if len(about) < ABOUT_MIN else ()
    if options:
        said_of = (shorten(each.said or each.label, _OPTION_CHARS) for each in options)
        return f"{own} ({' / '.join(each.rstrip(' .:') for each in said_of)})"
    if len(about) >= _STANDS_MIN or not POINTS.search(own):
        return own
    before = [each.own for each in said if each.block is not Block.HEADING]
    before = before[: before.index(own)][-1:] if own in before else []
    told = [each for each in before if len(each) <= _BEFORE_CHARS and not is_question(each)]
    return " ".join((*told, own))
