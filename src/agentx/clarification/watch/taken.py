"""What was answered from memory, and what became since of the question that it was taken from.

Whoever takes an answer has a copy of it in a question of their own, maybe of another issue. What a
person decided otherwise since, asked the first anew, or what contests it, changes no copy: it is
told with each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from agentx.clarification.contested import SAID_CHARS, say_by_whom
from agentx.clarification.model import Clarification, Entry
from agentx.kernel.text import fold_text, preview_ends

# Questions by their names: the matters of each and itself, with what speaks against it.
Sources = Mapping[str, tuple[Clarification, ...]]


def find_source(state: Clarification) -> str:
    """Return where memory knew from what a question came to; nothing where somebody said it."""
    word = _find_word(state)
    return "" if word is None else word.source


def tell_taken(states: Iterable[Clarification], sources: Sources) -> tuple[Clarification, ...]:
    """Return questions, each that was answered from memory with what speaks against that by now."""
    return tuple(_tell_taken(state, sources) for state in states)


def _tell_taken(state: Clarification, sources: Sources) -> Clarification:
    taken, found = _find_word(state), sources.get(find_source(state), ())
    if taken is None or not found:
        return state
    copy = fold_text(taken.body)
    said = [
        each for each in found[-1].thread if each.body and copy.startswith(fold_text(each.body))
    ]
    if not said:
        return state  # its name means another question by now
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
