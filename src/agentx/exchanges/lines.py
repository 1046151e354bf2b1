"""Sentences of prompts and replies, whole enough to be understood alone.

A sentence that leans on the one before it ("This is why ...") is joined to it. What
restates a boot file, what the agent CLI wrote in the user's name, and what AgentX
itself injected gives no lines at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from agentx.exchanges import wording
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.turns import Turn, TurnKind
from agentx.exchanges.undone import find_undone
from agentx.kernel.text import compile_late, without_recall
from agentx.kernel.values import frozen
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.passages import PASSAGE_CHARS_MAX
from agentx.prose.sentences import (
    Block,
    Sentence,
    is_question,
    sentences,
    shorten,
    show_excerpt,
    words,
)
from agentx.prose.titles import is_written_by_machine
from agentx.prose.whose.pasted import split_pasted

LINE_CHARS_MAX = 420
_RESTATES = 0.8
_BOOT_LINES_MAX = 400
# `name` - what was done to it
_SUBJECT = compile_late(r"\A(?:`[^`]+`|[\w ./-]{2,60}?)\s*(?:[-\u2013\u2014:]|\(\w+\)\s*[-:])\s+")
_NOW_DOES = compile_late(r"now \w+s\b|verif(?:y|ies)\b|expects? \w+ instead", re.IGNORECASE)
_MARKS = compile_late(r"[`*_]+")
_POINTS_BACK = compile_late(r"(?:It|This|That|They|These|Those|Both)\b")
_PASTED_CHARS = 1_500  # a prompt longer than this is a document


@frozen
class Line:
    """Something said, and where."""

    text: str
    own: str  # the sentence itself, without the one it leans on
    turn: Turn
    block: Block
    paragraph: int  # sentences of one paragraph have the same number


class Boot:
    """What the agent was told before the session: nobody learnt it in the session."""

    def __init__(self, found: Sequence[Exchange]) -> None:
        self._sizes: list[int] = []  # of its lines, in words
        self._holds: dict[str, list[int]] = {}  # which lines hold a word
        self._cut: dict[str, list[Sentence]] = {}
        self.read: dict[int, tuple[Turn, tuple[Line, ...]]] = {}
        self.undone = find_undone(found)
        for exchange in found:
            for step in exchange.steps:
                if step.result is not None and wording.BOOT_FILE.search(step.call.text[-300:]):
                    self._learn(step.result.text)

    def _learn(self, text: str) -> None:
        for line in text.split("\n")[:_BOOT_LINES_MAX]:
            about = terms(line)
            if len(about) > 2:
                for word in about:
                    self._holds.setdefault(word, []).append(len(self._sizes))
                self._sizes.append(len(about))

    def restates(self, text: str) -> bool:
        """Tell whether a line only repeats what a boot file says."""
        if wording.BOOT_FILE.search(text):
            return True
        about = terms(text) if self._sizes else frozenset()
        if len(about) <= 2:
            return False
        shared = Counter(line for word in about for line in self._holds.get(word, ()))
        return any(
            count > 2 and count >= _RESTATES * min(len(about), self._sizes[line])
            for line, count in shared.items()
        )

    def cut(self, text: str) -> list[Sentence]:
        """Return the sentences of what was said; two readers ask, and it is cut once."""
        known = self._cut.get(text)
        if known is None:
            known = self._cut[text] = sentences(text)
        return known


def lines(turn: Turn, boot: Boot) -> tuple[Line, ...]:
    """Return what a turn says, line by line; every rule asks, and it is read once."""
    known = boot.read.get(id(turn))
    if known is None or known[0] is not turn:
        known = boot.read[id(turn)] = (turn, tuple(_lines(turn, boot)))
    return known[1]


def _lines(turn: Turn, boot: Boot) -> Iterator[Line]:
    text = without_recall(turn.text)
    if turn.kind is TurnKind.PROMPT:
        if is_written_by_machine(text):
            return
        text = split_pasted(text)[0]
    before: Sentence | None = None
    paragraph = 0
    for sentence in boot.cut(text):
        own = _whole(text, sentence)
        goes_on = before is not None and "\n" not in text[before.end : sentence.start].strip(" \t")
        paragraph += not goes_on
        joined = own
        if before is not None and goes_on and _leans(own):
            joined = f"{_whole(text, before)} {own}"
        before = sentence
        if not boot.restates(own):
            yield Line(
                text=shorten(joined, LINE_CHARS_MAX),
                own=own,
                turn=turn,
                block=sentence.block,
                paragraph=paragraph,
            )


def as_paragraphs(chosen: Iterable[Line], chars_max: int = LINE_CHARS_MAX) -> list[list[Line]]:
    """Return lines with their neighbours: those of one paragraph are told together."""
    groups: list[list[Line]] = []
    for line in chosen:
        last = groups[-1] if groups else []
        together = last and (last[-1].turn, last[-1].paragraph) == (line.turn, line.paragraph)
        if together and len(join_lines(last)) + len(line.own) < chars_max:
            last.append(line)
        else:
            groups.append([line])
    return groups


def join_lines(group: list[Line]) -> str:
    """Return lines as one text, none of them twice."""
    text = ""
    for line in group:
        if line.own not in text:
            text = f"{text} {line.own}" if text else line.text
    return text


def is_claim(text: str) -> bool:
    """Tell whether a line says what was done: it belongs to the change, not to what is known."""
    plain = _SUBJECT.sub("", text)
    return bool(wording.CLAIMS.match(plain) or _NOW_DOES.match(plain))


def is_document(prompt: Turn) -> bool:
    """Tell whether a prompt was pasted rather than said."""
    return len(prompt.text) > _PASTED_CHARS


def _leans(text: str) -> bool:
    """Tell whether a sentence says little without the one before it."""
    return cues.LEANS.match(text) is not None or words(text) < 5


def _whole(text: str, sentence: Sentence) -> str:
    return show_excerpt(text[sentence.start : sentence.end])


def lead_in(text: str, said: Sequence[Sentence], start: int, prompt: Turn | None) -> str:
    """Return a passage behind the question it answers, where it begins a reply by pointing back."""
    if prompt is None or not _POINTS_BACK.match(text) or any(one.end <= start for one in said):
        return text
    asked = [one.text for one in sentences(prompt.text)][-1:]
    whole = " ".join((*asked, text))
    is_asked = bool(asked) and is_question(asked[0])
    return whole if is_asked and len(whole) <= PASSAGE_CHARS_MAX else text


def is_echo(text: str, exchange: Exchange) -> bool:
    """Tell whether somebody pasted what the agent had just said: that is nothing new."""
    reply = exchange.before.closing if exchange.before is not None else None
    return reply is not None and _strip_marks(text) in _strip_marks(reply.text)


def _strip_marks(text: str) -> str:
    return " ".join(_MARKS.sub("", text).casefold().split())
