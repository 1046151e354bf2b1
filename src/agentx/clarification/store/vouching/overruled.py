"""Where people contradict each other: whose word stands, and whose it replaced.

Two clones may decide one question without knowing of each other. The ledger says in every clone the
same which word stands; who said the other is told of it, and so is who asked.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import replace

from agentx.clarification.facts import Answered, Resolved
from agentx.clarification.model import PERSON, Clarification, Entry, OverruledWord
from agentx.clarification.store.ledger_json import DamagedLedger
from agentx.clarification.store.question_events import (
    QuestionEvent,
    QuestionEventKind,
    fact_of,
)

_WORDS = frozenset({QuestionEventKind.ANSWERED, QuestionEventKind.RESOLVED})


def name_overruled(
    state: Clarification,
    judged: Iterable[QuestionEvent],
    trusted: Container[str],
    name_owner: Callable[[str], str],
) -> Clarification:
    """Return a question with who said what, where people's words contradict each other.

    What one and the same person said first and last is no contradiction; nor is what nobody vouches
    for. `trusted` are the keys of others.
    """
    word, contrary = state.persons_word, state.contrary_words
    if word is None or not contrary:
        return state
    keys = _find_keys(state, judged)
    holder = _identify(word, keys)
    others = [each for each in contrary if _identify(each, keys) not in ("", holder)]
    if not (holder and others):
        return state

    def name(entry: Entry) -> str:
        return f"{entry.account} on GitHub" if entry.account else name_owner(keys[_key(entry)])

    return replace(
        state,
        word_of=name(word),
        overruled=tuple(
            OverruledWord(
                entry=each,
                by=name(each),
                is_own=not each.account and keys[_key(each)] not in trusted,
            )
            for each in others
        ),
    )


def _find_keys(state: Clarification, judged: Iterable[QuestionEvent]) -> dict[tuple[int, str], str]:
    """Return by what people said to a question with which keys it was signed."""
    found: dict[tuple[int, str], str] = {}
    for event in judged:
        if event.question != state.uid or event.kind not in _WORDS or not event.is_vouched:
            continue
        try:
            fact = fact_of(event)
        except DamagedLedger:
            continue
        if isinstance(fact, Answered | Resolved) and fact.by == PERSON:
            found[fact.at_ms, fact.body] = event.key
    return found


def _key(entry: Entry) -> tuple[int, str]:
    return entry.at_ms, entry.body


def _identify(entry: Entry, keys: dict[tuple[int, str], str]) -> str:
    """Return whose word it is: an account's, or a key's; nothing where nobody can tell."""
    return entry.account or keys.get(_key(entry), "")
