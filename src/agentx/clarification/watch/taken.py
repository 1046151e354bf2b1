"""What was answered from memory, and what became since of the question that it was taken from.

Whoever takes an answer has a copy of it in a question of their own, maybe of another issue. What a
person decided otherwise since, asked the first anew, or what contests it, changes no copy: it is
told with each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from agentx.clarification.contested import SAID_CHARS, say_by_whom
from agentx.clarification.model import Clarification, Entry
from agentx.kernel.text import fold_text, preview_ends

# By the question that has a copy: the matters of the one that it was taken from and that itself,
# with what speaks against them.
Sources = Mapping[str, tuple[Clarification, ...]]


def find_source(state: Clarification) -> str:
    """Return where memory knew from what a question came to; nothing where somebody said it."""
    word = _find_word(state)
    return "" if word is None else word.source


def find_origin(state: Clarification, among: Iterable[Clarification]) -> Clarification | None:
    """Return the question whose words one was answered with; None where it is not there any more.

    Its name may have moved when clones merged, and mean another question now.
    """
    word = _find_word(state)
    name = "" if word is None else word.source
    return None if word is None or not name else next(_list_origins(word, name, among), None)


def list_copies(
    states: Iterable[Clarification], of: Iterable[Clarification]
) -> Iterator[Clarification]:
    """Yield the questions that were answered with the words of others, also by a person."""
    origins = tuple(of)
    for state in states:
        said = ((each, _read_source(each)) for each in state.thread)
        if any(name and any(_list_origins(each, name, origins)) for each, name in said):
            yield state


def _read_source(entry: Entry) -> str:
    """Return from where words were taken: who accepts them for a person says that in them."""
    return entry.source or entry.body.rpartition(", ")[2].removesuffix(")")


def _list_origins(
    word: Entry, name: str, among: Iterable[Clarification]
) -> Iterator[Clarification]:
    copy = fold_text(word.body)
    for each in among:
        if name in (each.id, each.formerly.partition("@")[0]) and _list_said(each, copy):
            yield each


def _list_said(state: Clarification, copy: str) -> list[Entry]:
    """Return what was said on a thread that is what a copy begins with."""
    said = ((each, fold_text(each.body)) for each in state.thread)
    return [each for each, body in said if body and copy.startswith(body)]


def tell_taken(states: Iterable[Clarification], sources: Sources) -> tuple[Clarification, ...]:
    """Return questions, each that was answered from memory with what speaks against that by now."""
    return tuple(_tell_taken(state, sources) for state in states)


def _tell_taken(state: Clarification, sources: Sources) -> Clarification:
    taken, found = _find_word(state), sources.get(state.uid, ())
    if taken is None or not found:
        return state
    said = _list_said(found[-1], fold_text(taken.body))
    stands = next((one for one in found if any(_find_word(one) is each for each in said)), None)
    if stands is None:
        return replace(state, decided_later=state.decided_later or _say_instead(found[-1]))
    by = say_by_whom(stands)
    return replace(
        state,
        decided_later=state.decided_later or stands.decided_later,
        contested_by=state.contested_by or (f"{by}, {stands.id}" if by else ""),
    )


def _find_word(state: Clarification) -> Entry | None:
    return state.decision or state.answered


def _say_instead(state: Clarification) -> str:
    """Return what a question came to instead; nothing where it is open again."""
    word = _find_word(state)
    if word is None:
        return ""
    where = ", ".join(filter(None, (word.doubt, state.id)))
    return f"{preview_ends(fold_text(word.body), SAID_CHARS)} ({where})"
