"""What a session left open, in the words in which its agent said so.

    "Not done: the metric of the queue."      "I have not pushed the branch."
    "Still open: 1. ... 2. ..."               a question at the very end that nobody answered
    "Next: the backfill, I stopped at May."   said last of all: before that it was gone on with

Only what is still open when the session ends is kept: what was agreed to, done or talked of
afterwards is not. A program's own states ("rows that are not committed yet") are no work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentx.exchanges import wording
from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.tools import file_edits
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.extract.left.asking import waits_for_user
from agentx.observations.extract.left.last_words import heads_left
from agentx.observations.extract.left.open_words import (
    HEADS,
    SAVED,
    says_open,
    says_stopped,
    strip_open_label,
)
from agentx.observations.extract.left.pointing import name_pointed
from agentx.observations.extract.left.put_off import (
    PutOff,
    find_put_off,
    put_words_behind,
)
from agentx.observations.extract.left.settled import UNDONE, SpokenWords, leave_unsettled
from agentx.observations.extract.left.unticked import (
    list_ticked,
    list_unticked,
    read_boxes,
    tell_boxes,
)
from agentx.observations.extract.left.waiting import find_unanswered, list_last_questions
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.settled.refuted import find_fallen
from agentx.observations.labels import BY_USER, LEFT_OPEN, WAITS, strip_said
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage, likeness, share_alike
from agentx.prose.sentences import Block, shorten, words
from agentx.prose.titles import is_written_by_machine
from agentx.prose.whose.pasted import split_pasted

_SAVES = compile_late(rf"(?i:{SAVED}|\b(?:push|commit|merge|deploy|release|gepusht|committet))")
_UNCOMMITTED = compile_late(r"(?i:\b(?:un|not (?:yet )?)committed\b)")
# A judgement that does not say what it is of.
_JUDGES = cues.at_the_start(
    r"""
    worth | (?:this|that|it|these|those|they|both) (?:is|are|was|should|must|needs?|has|have|still)
    should be | needs? to be | das (?:ist|muss|sollte) | c'est | esto
    i (?:could|can|have|did|was)(?:n'?t| ?not)(?: able to)? \w+ (?:it|this|that|them)
    not \w+(?: \w+)? yet(?=[.!;]|\Z)
    """,
    after="but | and | also | so",
)
_LEANS = cues.anywhere("looked (?:any )?further")
_NUMBERED = compile_late(
    r"(?i:\A(?:(?:issue|step|item|problem|point|finding)\s*)?#?\d+[.:)]\s+)",
)
_TALKED = 0.6  # of its words, said again later: it was dealt with
_SAME = 0.6
_LEFT_MAX = 6
_ABOVE_MAX = 6  # replies in which a list is looked for
_HEAD_CHARS_MAX = 80
_CHARS_MAX = 225
_CHARS_SAID_MAX = 315  # with the words of who put it off
_PARTING_WORDS_MAX = 12


@frozen
class _Left:
    """Something that was left, where it was said, and in how many words it is told."""

    turn: Turn
    own: str
    told: str
    number: int = -1  # of its exchange


def find_left_open(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield what was left open when a session ended, the newest few."""
    put_off = list(find_put_off(found, boot))
    left = _put_words_behind(_list_said(found, boot, put_off), put_off)
    last = [*list_unticked(found), *(find_unanswered(found[-1], boot) if found else ())]
    left += [_Left(turn=turn, own=own, told=own) for turn, own in last]
    fallen = find_fallen(found, boot)
    left = [one for one in left if one.own not in fallen.get(one.turn.event_id, ())]
    for one in _keep_last(left)[-_LEFT_MAX:]:
        label = WAITS if waits_for_user(one.told) else LEFT_OPEN
        chars = _CHARS_SAID_MAX if BY_USER in one.told else _CHARS_MAX
        content = label + shorten(strip_open_label(one.told), chars)
        is_unsaved = _UNCOMMITTED.search(one.told) is not None and one.number >= 0
        yield Finding(
            category=Category.KEY_FACT,
            content=content,
            summary=content,
            event_ids=(one.turn.event_id,),
            at_ms=one.turn.at_ms,
            # A commit of these closes it.
            files=_list_edited(found[one.number]) if is_unsaved else (),
        )


def _list_said(found: list[Exchange], boot: Boot, put_off: Sequence[PutOff]) -> list[_Left]:
    """Return what replies say is left, but for what was settled, done or talked of since."""
    left: list[_Left] = []
    echoing = {one.number for one in put_off}
    for number, exchange in enumerate(found):
        closing, later = exchange.closing, found[number + 1 :]
        if closing is None or _was_taken_up(found, number):
            continue
        if number in echoing and not exchange.steps:
            continue  # it says again what the user said
        above = [
            reply.text
            for each in found[max(number - _ABOVE_MAX, 0) : number]
            if (reply := each.closing) is not None
        ]
        said, is_end = name_pointed(lines(closing, boot), above), ends_with(found, number)
        opened = list(_find_open(said, is_last=is_end))
        answers = _list_answers(later)
        for line in opened:
            near = said[max(said.index(line) - 1, 0)].own
            rest = leave_unsettled(line.own, answers, is_only=len(opened) == 1, near=near)
            if rest and not _was_closed(rest, later):
                told = _tell_whole(line, said) if rest == line.own else rest
                left.append(_Left(turn=closing, own=rest, told=told, number=number))
        task = exchange.prompt.text if exchange.prompt is not None else ""
        boxes = read_boxes(closing.text)[0] if is_end else ()
        if boxes:
            own = "; ".join(boxes)
            left.append(_Left(turn=closing, own=own, told=tell_boxes(boxes, task), number=number))
    return left


def _put_words_behind(left: list[_Left], put_off: Sequence[PutOff]) -> list[_Left]:
    """Return what was left and put off, told once: what it is, and the user's words behind it."""
    for one in put_off:
        near = [at for at, each in enumerate(left) if each.number == one.number - 1]
        if not one.proposed:
            near = [at for at in near if share_alike(one.about, terms(left[at].own))]
        if len(near) == 1:
            each = left[near[0]]
            left[near[0]] = replace(each, told=put_words_behind(each.told, one.said))
        elif not (near and one.proposed):
            left.append(_Left(turn=one.prompt, own=strip_said(one.told), told=one.told))
    return left


def list_open(said: tuple[Line, ...], *, is_last: bool) -> Iterator[str]:
    """Yield the sentences of a reply that say what is left, and the items of a list of it.

    What only points at the list above is told in its words, and in its own.

    `is_last`: it is what a session ended with; then what it asks at its end is left, too, and its
    boxes tell what is left.
    """
    named = name_pointed(said)
    opened = {line.own for line in _find_open(named, is_last=is_last)}
    for line, other in zip(said, named, strict=True):
        if other.own in opened:
            yield from dict.fromkeys((other.own, line.own))
    if is_last and said:
        yield from (box for boxes in read_boxes(said[0].turn.text) for box in boxes)
        yield from (line.own for line in list_last_questions(said))


def _find_open(said: tuple[Line, ...], *, is_last: bool) -> Iterator[Line]:
    in_list = False
    ticked = list_ticked(said[0].turn.text) if said else frozenset[str]()
    for line in said:
        own = line.own
        if own in ticked:
            continue
        leads = line.block is Block.HEADING or own.endswith((":", "\uff1a"))
        if leads:
            is_head = HEADS.match(own) is not None or (is_last and heads_left(own))
            in_list = is_head and len(own) <= _HEAD_CHARS_MAX
        elif in_list and line.block is Block.ITEM:
            yield line
        else:
            in_list = False
            if says_open(own) or (is_last and says_stopped(own)):
                yield line


def _tell_whole(line: Line, said: tuple[Line, ...]) -> str:
    """Return what is left; a judgement with its heading, else with the sentence before it."""
    own = line.own
    if not (_JUDGES.match(own) or _LEANS.search(own)):
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


def ends_with(found: Sequence[Exchange], number: int) -> bool:
    """Tell whether a session ends with an exchange, but for a few words that do nothing more."""
    return not any(
        one.steps or (one.closing is not None and words(one.closing.text) > _PARTING_WORDS_MAX)
        for one in found[number + 1 :]
    )


def _list_answers(later: Sequence[Exchange]) -> list[SpokenWords]:
    """Return what the user said after a reply."""
    return [
        SpokenWords(text=split_pasted(one.prompt.text)[0], is_next=one is later[0])
        for one in later
        if one.prompt is not None and not is_written_by_machine(one.prompt.text)
    ]


def _was_taken_up(found: list[Exchange], number: int) -> bool:
    """Tell whether the user answered a reply by telling the agent to go on, and it did."""
    later = found[number + 1] if number + 1 < len(found) else None
    if later is None or later.prompt is None or not later.steps:
        return False
    return wording.GOES_ON.match(later.prompt.text.strip()) is not None


def _was_closed(own: str, later: list[Exchange]) -> bool:
    """Tell whether what was open was dealt with, or talked of, later in the session."""
    if not later:
        return False
    if _SAVES.search(own):
        return any(commit_of(step) for each in later for step in each.steps) or len(later) > 1
    about = terms(own)
    # A few words at the end ("tomorrow", "dark mode next") are not what deals with it.
    texts = [
        turn.text
        for number, each in enumerate(later)
        if each.steps or not ends_with(later, number - 1)
        for turn in (each.prompt, each.closing)
        if turn is not None
    ]
    return coverage(about, terms("\n".join(texts))) >= _TALKED


def _keep_last(left: list[_Left]) -> list[_Left]:
    """Return what is open, each once, as it was said last."""
    kept: list[_Left] = []
    for one in reversed(left):
        about = terms(one.own)
        if about and not any(_says_as_much(terms(other.own), about) for other in kept):
            kept.append(one)
    return kept[::-1]


def _says_as_much(other: frozenset[str], about: frozenset[str]) -> bool:
    own = about - UNDONE
    return likeness(about, other) >= _SAME or (bool(own) and share_alike(own, other) == own)
