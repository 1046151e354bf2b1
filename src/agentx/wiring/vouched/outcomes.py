"""Memories of what questions came to: which they are, and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, count, islice
from typing import TYPE_CHECKING

from agentx.kernel.ids import digest
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import compile_late
from agentx.kernel.vouching import standing
from agentx.observations.ids import agent_name, observation_id, parse_observation_id
from agentx.observations.labels import (
    read_asked,
    read_decider,
    read_said,
)
from agentx.observations.model import Category, Observation
from agentx.redaction.redact import redact

if TYPE_CHECKING:
    from agentx.clarification.model import Clarification

    Decided = tuple[Clarification, Observation]  # a question or a matter, and what it came to

UNVERIFIED = (
    standing.UNVERIFIED
)  # whose a memory is that claims a person and is borne out by nothing
_QUESTION = "CLR-"
_REDACTED = "[REDACTED:"
_TURNS = 2  # of the names of a decision: another may lie under the first
_OF_QUESTION = compile_late(r"\[(CLR-\d+-\d+)\]\Z")


def find_question(one: Observation) -> str:
    """Return the question that a memory says the outcome of, by its name; or nothing."""
    found = _OF_QUESTION.search(one.content)
    return "" if found is None else found[1]


def rename_question(one: Observation, name: str) -> Observation:
    """Return a memory with another name of the question that it says the outcome of."""
    now = find_question(one)
    if now in ("", name):
        return one
    content, summary = (
        f"{text.removesuffix(f'[{now}]')}[{name}]" if text.endswith(f"[{now}]") else text
        for text in (one.content, one.summary)
    )
    return replace(one, content=content, summary=summary)


def is_withheld(one: Observation) -> bool:
    """Tell whether a memory is only withheld: its question does not bear it out now."""
    return one.superseded_by.startswith(_QUESTION)


def is_word_of(one: Observation, decision: Observation) -> bool:
    """Tell whether a memory is of whose word a decision is."""
    return bool(decision.agent) and one.agent == agent_name(decision.agent)


def find_same(kept: Iterable[Observation], decision: Observation) -> Observation | None:
    """Return what is kept of a question and says what it came to, of whose word that is."""
    same = [one for one in kept if says_same(one, decision)]
    return min(same, key=lambda one: bool(one.superseded_by), default=None)


def says_same(one: Observation, decision: Observation) -> bool:
    """Tell whether a memory says what a question came to, of whose word that is, and as surely."""
    if not is_word_of(one, decision) or read_said(one.content) not in list_said(decision):
        return False
    return len({UNCONFIRMED in read_decider(each.content) for each in (one, decision)}) == 1


def list_overtaken(
    kept: Iterable[Observation], state: Clarification, decision: Observation
) -> tuple[Observation, ...]:
    """Return what is kept of a question and is not what it came to, as its ledger now says.

    What a person wrote anew is theirs, unless people's words contradict each other since.
    """
    topic = f"{redact(state.topic)}:"
    return tuple(
        one
        for one in kept
        if (not one.superseded_by or is_withheld(one))
        and not says_same(one, decision)
        and (bool(state.contrary_words) if one.mended_ms else one.content.startswith(topic))
    )


def list_said(decision: Observation) -> tuple[str, str]:
    """Return what a decision says, and how it is kept."""
    return read_said(decision.content), read_said(redact(decision.content))


def list_uids(state: Clarification) -> tuple[str, ...]:
    """Return what a question is known by: first which it was that was answered.

    That stays, also where a merge makes two questions of one thread.
    """
    word = state.decision or state.resolution
    asked = None if word is None else state.find_asked(word)
    first = ("" if asked is None else asked.uid) or state.stem or state.uid
    others = (state.find_asked(each) for each in state.thread if each.is_persons_word)
    known = {each.uid or state.stem or state.uid for each in others if each is not None}
    if first != state.uid and state.uid in known:
        return (first,)  # what the thread asked first is a matter of its own
    return tuple(dict.fromkeys((first, state.uid)))


def list_names_of(state: Clarification, decision: Observation) -> Iterator[str]:
    """Yield the same of what a question, or a matter, came to."""
    is_matter = bool(state.asked_on)
    return list_names(
        list_uids(state)[0] if is_matter else state.uid, decision, is_matter=is_matter
    )


def list_names(uid: str, decision: Observation, *, is_matter: bool = False) -> Iterator[str]:
    """Yield what the memory of a decision may be called, whoever keeps it; the first counts.

    That of a matter is called by what was asked, too: one thread may be told Yes to each.
    """
    asked = (f"asked: {read_asked(decision.content)}",) if is_matter else ()
    for turn in count():
        words = (*asked, *((str(turn),) if turn else ()))
        word = digest(uid, read_said(decision.content), *words)
        chance = partial(_take, word)
        yield observation_id(decision.agent, decision.issue_number, decision.timestamp_ms, chance)


def list_ids(state: Clarification, decision: Observation) -> Iterator[str]:
    """Yield what a memory of what a question came to is called; a thread may have had it before."""
    for uid in _list_all_uids(state):
        yield from _list_first(uid, decision)


def _list_first(uid: str, decision: Observation) -> Iterator[str]:
    """Yield by which names a decision is looked for: also as kept before it was a matter."""
    for is_matter in (False, True):
        yield from islice(list_names(uid, decision, is_matter=is_matter), _TURNS)


def _list_all_uids(state: Clarification) -> Iterable[str]:
    return dict.fromkeys(filter(None, (*list_uids(state), state.uid, state.stem)))


def find_matter(one: Observation, decided: Iterable[Decided]) -> Clarification | None:
    """Return which of the things that a thread asks a memory of it is of; None where it is unsure.

    Its id says so, or what it says was asked.
    """
    known = tuple(decided)
    asked = read_asked(one.content)
    called = (state for state, decision in known if one.id in list_ids(state, decision))
    alike = (state for state, decision in known if asked and asked in _list_asked(decision))
    return next(chain(called, alike), None)


def _list_asked(decision: Observation) -> tuple[str, str]:
    return read_asked(decision.content), read_asked(redact(decision.content))


def is_outcome_of(one: Observation, uids: Iterable[str]) -> bool:
    """Tell whether a memory is of a question with any of these uids, by its id and its words."""
    made = parse_observation_id(one.id)
    first = replace(
        one, agent=made.agent, issue_number=made.issue_number, timestamp_ms=made.timestamp_ms
    )
    return any(one.id in _list_first(uid, first) for uid in uids)


def is_kept_redacted(one: Observation) -> bool:
    """Tell whether a memory of what a question came to has it otherwise than its id was made of."""
    is_outcome = one.category is Category.DECISION and bool(read_asked(one.content))
    return is_outcome and not one.mended_ms and _REDACTED in read_said(one.content)


def is_called(one: Observation, state: Clarification, decision: Observation | None) -> bool:
    """Tell whether a memory is of a question, by its id: what that came to, now or once."""
    if decision is not None and state.uid and one.id in list_ids(state, decision):
        return True
    return is_outcome_of(one, _list_all_uids(state))


def is_kept_of(one: Observation, state: Clarification, decision: Observation) -> bool:
    """Tell whether a memory that names a question is of it, and not of another of that name."""
    is_alike = one.content.startswith(f"{redact(state.topic)}:")
    return is_alike or is_called(one, state, decision)


def _take(word: bytes, size: int) -> bytes:
    return word[:size]


def list_kept(memories: Iterable[Observation], name: str) -> tuple[Observation, ...]:
    """Return the memories that say what a question came to."""
    return tuple(one for one in memories if one.content.endswith(f"[{name}]"))
