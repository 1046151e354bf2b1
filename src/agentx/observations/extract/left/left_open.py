"""What a session left open, in the words in which its agent said so.

    "Not done: the metric of the queue."      "I have not pushed the branch."
    "Still open: 1. ... 2. ..."               a question at the very end that nobody answered
    "Next: the backfill, I stopped at May."   said last of all: before that it was gone on with

Only what is still open when the session ends is kept: what was agreed to, done or talked of
afterwards is not. A program's own states ("rows that are not committed yet") are no work.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.exchanges import wording
from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.tools import file_edits
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late
from agentx.observations.extract.left.asking import waits_for_user
from agentx.observations.extract.left.open_words import (
    HEADS,
    SAVED,
    says_open,
    says_stopped,
    strip_open_label,
)
from agentx.observations.extract.left.put_off import find_put_off
from agentx.observations.extract.left.waiting import find_unanswered, list_last_questions
from agentx.observations.extract.session.finding import Finding
from agentx.observations.labels import LEFT_OPEN, WAITS
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage, likeness
from agentx.prose.sentences import Block, shorten

_SAVES = compile_late(rf"(?i:{SAVED}|\b(?:push|commit|merge|deploy|release|gepusht|committet))")
_UNCOMMITTED = compile_late(r"(?i:\b(?:un|not (?:yet )?)committed\b)")
# A judgement that does not say what it is of.
_JUDGES = cues.at_the_start(
    r"""
    worth | (?:this|that|it|these|those|they|both) (?:is|are|was|should|must|needs?|has|have|still)
    should be | needs? to be | das (?:ist|muss|sollte) | c'est | esto
    """,
    after="but | and | also | so",
)
_NUMBERED = compile_late(
    r"(?i:\A(?:(?:issue|step|item|problem|point|finding)\s*)?#?\d+[.:)]\s+)",
)
_TALKED = 0.6  # of its words, said again later: it was dealt with
_SAME = 0.6
_LEFT_MAX = 6
_HEAD_CHARS_MAX = 80
_CHARS_MAX = 225


def find_left_open(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield what was left open when a session ended, the newest few."""
    left: list[tuple[Turn, str]] = []
    edited: dict[str, tuple[str, ...]] = {}
    for number, exchange in enumerate(found):
        closing = exchange.closing
        if closing is None or _was_taken_up(found, number):
            continue
        edited[closing.event_id] = _list_edited(exchange)
        said = lines(closing, boot)
        left += [
            (closing, _tell_whole(line, said))
            for line in _find_open(said, is_last=exchange is found[-1])
            if not _was_closed(line.own, found[number + 1 :])
        ]
    left += find_put_off(found, boot)
    last = found[-1] if found else None
    if last is not None:
        left += find_unanswered(last, boot)
    for turn, own in _keep_last(left)[-_LEFT_MAX:]:
        label = WAITS if waits_for_user(own) else LEFT_OPEN
        content = label + shorten(strip_open_label(own), _CHARS_MAX)
        yield Finding(
            category=Category.KEY_FACT,
            content=content,
            summary=content,
            event_ids=(turn.event_id,),
            at_ms=turn.at_ms,
            # A commit of these closes it.
            files=edited.get(turn.event_id, ()) if _UNCOMMITTED.search(own) else (),
        )


def list_open(said: tuple[Line, ...], *, is_last: bool) -> Iterator[str]:
    """Yield the sentences of a reply that say what is left, and the items of a list of it.

    `is_last`: it is what a session ended with; then what it asks at its end is left, too.
    """
    yield from (line.own for line in _find_open(said, is_last=is_last))
    if is_last:
        yield from (line.own for line in list_last_questions(said))


def _find_open(said: tuple[Line, ...], *, is_last: bool) -> Iterator[Line]:
    in_list = False
    for line in said:
        own = line.own
        leads = line.block is Block.HEADING or own.endswith((":", "\uff1a"))
        if leads:
            in_list = len(own) <= _HEAD_CHARS_MAX and HEADS.match(own) is not None
        elif in_list and line.block is Block.ITEM:
            yield line
        else:
            in_list = False
            if says_open(own) or (is_last and says_stopped(own)):
                yield line


def _tell_whole(line: Line, said: tuple[Line, ...]) -> str:
    """Return what is left; a judgement with its heading, else with the sentence before it."""
    own = line.own
    if not _JUDGES.match(own):
        return own
    before = said[: said.index(line)]
    heading = next((each.own for each in reversed(before) if each.block is Block.HEADING), "")
    if heading:
        told = f"{_NUMBERED.sub('', heading).rstrip(' :')}: {own}"
        return told if len(told) <= _CHARS_MAX else own
    near = [each.own for each in before[-1:] if each.paragraph == line.paragraph]
    told = " ".join((*near, own))
    return told if len(told) <= _CHARS_MAX else own


def _list_edited(exchange: Exchange) -> tuple[str, ...]:
    paths = (edit.path for step in exchange.steps for edit in file_edits(step))
    return tuple(dict.fromkeys(paths))


def _was_taken_up(found: list[Exchange], number: int) -> bool:
    """Tell whether the user answered a reply by telling the agent to go on."""
    later = found[number + 1].prompt if number + 1 < len(found) else None
    return later is not None and wording.GOES_ON.match(later.text.strip()) is not None


def _was_closed(own: str, later: list[Exchange]) -> bool:
    """Tell whether what was open was dealt with, or talked of, later in the session."""
    if not later:
        return False
    if _SAVES.search(own):
        return any(commit_of(step) for each in later for step in each.steps) or len(later) > 1
    about = terms(own)
    texts = [
        turn.text for each in later for turn in (each.prompt, each.closing) if turn is not None
    ]
    return coverage(about, terms("\n".join(texts))) >= _TALKED


def _keep_last(left: list[tuple[Turn, str]]) -> list[tuple[Turn, str]]:
    """Return what is open, each once, as it was said last."""
    kept: list[tuple[Turn, str]] = []
    for turn, own in reversed(left):
        about = terms(own)
        if about and not any(likeness(about, terms(other)) >= _SAME for _, other in kept):
            kept.append((turn, own))
    return kept[::-1]
