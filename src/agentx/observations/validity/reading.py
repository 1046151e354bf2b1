"""A memory as it is compared with others: what it says, asks, answers, leaves and measures."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar

from agentx.kernel.clock import Millis
from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.model import Category, Observation, ObservationIndex
from agentx.observations.validity import open_ends
from agentx.observations.validity.given_up import (
    Thing,
    is_said_by_user,
    list_given_up,
    list_removed,
    strip_beside,
)
from agentx.prose.cues import TAKES_BACK, anywhere
from agentx.prose.keyphrases import terms
from agentx.prose.settling.libraries import find_raiser, list_libraries
from agentx.prose.settling.stances import Stance, read_stances

Terms = frozenset[str]

_ASKED = compile_late(r"\AAsked: (.+?)\n(?:The user (?:answered|said): )?(.+)\Z", re.DOTALL)
_ANSWERED = compile_late(r"\A([^\n]{5,300}?[?]) The user (?:answered|chose): (.+)\Z", re.DOTALL)
_ONLY_ASKED = compile_late(r"\AAsked: ([^\n]+\?)\s*\Z")
_SAID = compile_late(r"\A(?:Asked: .*\n)?(?:The user \w+(?:, and \w+ \w+ \w+)?:\s*)?")
_LEFT = compile_late(
    r"\b(?:instead of|rather than|switch(?:ed|ing)? from|mov(?:e|ed|ing) (?:away )?from|no longer"
    r"|drop(?:ped|ping)?|replac(?:e|es|ed|ing)|away from|statt|revert(?:ed|ing)?|abandon(?:ed)?)"
    r"\s+(?:to\s+|use\s+|using\s+|the\s+|a\s+|an\s+|our\s+|einer?\s+)*([^,.;:\n]{2,60}?)"
    r"(?=\s+(?:to|with|for|in|and|because|after|by|since|as)\b|[,.;:\n]|\Z)",
    re.IGNORECASE,
)
_SENTENCE = compile_late(r"(?<=[.!?])\s+|\n+")
# "Both wrongly use a/ instead of their own paths" tells what is wrong, and settles nothing.
_FAULTS = anywhere(
    "incorrect(?:ly)? | wrong(?:ly)? | mistaken(?:ly)? | by mistake | bugs? | currently"
)
_HEARD = compile_late(r"(?:;|\n)\s*The agent: ")
NUMBER = compile_late(r"\b\d[\w.]*\b")
CHARS_READ_MAX = 1_000


@frozen
class Comparable:
    """A memory as far as it matters here."""

    id: str
    at_ms: Millis
    text: str
    category: Category = Category.DECISION
    issue: int = 0
    session_id: str = ""  # empty: of none, and so of another than any
    files: tuple[str, ...] = ()
    is_persons: bool = False  # a person had it kept
    is_written: bool = False  # whoever keeps it says so: no session was heard
    is_row: bool = False  # of the index, which knows no files

    def may_fall_to(self, newer: Comparable) -> bool:
        """Tell whether another has the say: what a person decided no agent takes back."""
        if not self.is_persons or self.category is not Category.DECISION:
            return True
        return newer.is_persons or (is_said_by_user(newer.text) and not newer.is_written)


def compare_observed(one: Observation) -> Comparable:
    """Return an observation as it is compared."""
    return Comparable(
        id=one.id,
        at_ms=one.timestamp_ms,
        text=one.content,
        category=one.category,
        issue=one.issue_number,
        session_id=one.session_id,
        files=one.files,
        is_persons=one.agent == PERSON_ROLE,
        is_written=one.is_written,
    )


# The same rows are compared with every session that is captured.
_rows: dict[str, tuple[ObservationIndex, Comparable]] = {}
_ROWS_MAX = 1_500


def compare_row(row: ObservationIndex) -> Comparable:
    """Return a row of the index as it is compared: by its summary, and of no session."""
    known = _rows.get(row.id)
    if known is not None and known[0] is row:
        return known[1]
    made = Comparable(
        id=row.id,
        at_ms=row.timestamp_ms,
        text=row.summary,
        category=row.category,
        issue=row.issue_number,
        is_persons=row.agent == PERSON_ROLE,
        is_row=True,
    )
    if len(_rows) >= _ROWS_MAX:
        _rows.clear()
    _rows[row.id] = row, made
    return made


@frozen
class ComparedMemory:
    """A memory as it is compared."""

    of: Comparable
    text: str  # without what stands beside it
    is_prescribed: bool  # it was decided, or somebody asked for it
    said: Terms
    asked: Terms
    answered: Terms
    is_answered: bool
    left: tuple[Terms, ...]  # what a decision names as left
    given_up: tuple[Thing, ...]
    numbers: frozenset[str]
    besides_numbers: Terms
    takes_back: bool
    closed: frozenset[str]

    keys: Terms  # by what it is found: its words, its files, the issue that it is of or closes

    @property
    def stances(self) -> tuple[Stance, ...]:
        """What is ruled, of what was decided or asked for; read where somebody compares it."""
        return _read_stances(self.text) if self.is_prescribed else ()

    @property
    def may_replace(self) -> bool:
        # What sums up a session only repeats what was said, and may do so in the wrong order.
        return self.of.category is not Category.COMPACTION_SUMMARY and bool(
            self.given_up
            or (self.takes_back and self.left)
            or self.asked
            or self.numbers
            or self.closed
            or is_said_by_user(self.of.text)
            or (self.of.category is Category.KEY_FACT and " now" in self.text)
            or self.of.category in (Category.CODE_CHANGE, Category.ERROR)
        )


# The same memories are compared with every session that is captured.
@lru_cache(maxsize=1_500)
def _read_stances(text: str) -> tuple[Stance, ...]:
    # How the agent took it stands beside it, and is no part of it.
    return read_stances(_HEARD.split(text, maxsplit=1)[0])


def read_memory(one: Comparable, *, is_newer: bool) -> ComparedMemory:
    text = one.text[:CHARS_READ_MAX]
    question = _ASKED.match(text) or _ANSWERED.match(text)
    alone = _ONLY_ASKED.match(text)
    said = _SAID.sub("", text)
    words = terms(said)
    asked = terms(question[1] if question else alone[1] if alone else "")
    joined = " ".join(word for word in words if "-" in word or "_" in word)
    parts = terms(joined.replace("-", " ").replace("_", " "))
    closed = open_ends.list_closed(text) if is_newer else frozenset()
    given_up = list_given_up(text, one.category) if is_newer else ()
    raising = {name for thing in list_removed(given_up) for name in list_libraries(thing.said)}
    raising |= {find_raiser(text)} if one.category is Category.ERROR else set()
    issues = {*closed, *([str(one.issue)] if one.category is Category.KEY_FACT else ())}
    return ComparedMemory(
        of=one,
        text=strip_beside(text),
        is_prescribed=one.category is Category.DECISION or is_said_by_user(one.text),
        said=words,
        asked=asked,
        keys=words
        | asked
        | parts
        | {f"file:{each}" for each in one.files}
        | {f"issue:{each}" for each in issues}
        | {f"raised:{each}" for each in raising if each},
        answered=terms(question[2]) if question else frozenset(),
        is_answered=question is not None,
        left=tuple(
            terms(found)
            for sentence in _SENTENCE.split(said)
            if not _FAULTS.search(sentence)
            for found in _LEFT.findall(sentence)
        ),
        given_up=given_up,
        numbers=frozenset(NUMBER.findall(said)),
        besides_numbers=terms(NUMBER.sub(" ", said)),
        takes_back=TAKES_BACK.search(said) is not None,
        closed=closed,
    )


_Read = TypeVar("_Read")
_READ_MAX = 3_000


class ReadBefore(Generic[_Read]):
    """What is read of memories, as newer and as older ones; once, for as long as it is known.

    The same ones are compared with every session that is captured. They are found by their ids, for
    what they say is long; rows are mostly the very same values as before, and found by that.
    """

    def __init__(self, read: Callable[[Comparable, bool], _Read]) -> None:
        self._read = read
        self._by_id: OrderedDict[tuple[str, str, bool], tuple[Comparable, _Read]] = OrderedDict()
        # By what a value is, which stays so for as long as it is held here.
        self._newer: dict[int, tuple[Comparable, _Read]] = {}
        self._older: dict[int, tuple[Comparable, _Read]] = {}

    def read(self, one: Comparable, *, is_newer: bool) -> _Read:
        """Return what is read of a memory."""
        same = self._newer if is_newer else self._older
        found = same.get(id(one))
        if found is not None:
            return found[1]
        read = self._find_equal(one, is_newer)
        if one.is_row:
            if len(same) >= _READ_MAX:
                same.clear()
            same[id(one)] = one, read
        return read

    def _find_equal(self, one: Comparable, is_newer: bool) -> _Read:
        key = (one.id, one.session_id, is_newer)
        known = self._by_id.pop(key, None)
        if known is None or known[0] != one:
            known = one, self._read(one, is_newer)
            if len(self._by_id) >= _READ_MAX:
                self._by_id.popitem(last=False)
        self._by_id[key] = known
        return known[1]
