"""What was said before a thread asked what it asks now, and what became of that since.

The first words of an offshoot were said on the thread that it grew from, and what a person said to
a matter stays where it was said. What a person decided otherwise since, there or asked the same
anew, or what contests them, takes nothing out of the thread, so it is told with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from agentx.clarification.contested import say_by_whom
from agentx.clarification.model import Clarification, Entry, EntryType
from agentx.clarification.watch.later import share_thread
from agentx.clarification.watch.matters import list_matters
from agentx.kernel.text import fold_text, preview_ends

Tell = Callable[[Iterable[Clarification]], Iterable[Clarification]]

_WORDS = frozenset({EntryType.ANSWER, EntryType.RESOLUTION})
_SAID_CHARS = 200


def tell_against(
    states: Iterable[Clarification], among: Iterable[Clarification], tell: Tell
) -> tuple[Clarification, ...]:
    """Return questions with what speaks against what they came to, and were told before.

    `tell` returns questions with what speaks against what they came to; `among` are all of some
    issues.
    """
    known = tuple(tell(replace(state, begun_with=()) for state in states))
    stems = {state.stem for state in known if state.stem}
    grown = [state for state in among if {state.uid, state.stem} & stems]
    read = tell(each for state in grown for each in (state, *list_matters(state)))
    return tuple(_tell_matters(state, tell) for state in tell_begun(known, read))


def tell_begun(
    states: Iterable[Clarification], among: Iterable[Clarification]
) -> tuple[Clarification, ...]:
    """Return questions, each offshoot with what speaks against the words that it begins with.

    `among` are the threads that they grew from, and the matters of those, with what speaks against
    them.
    """
    known = tuple(among)
    return tuple(_tell_begun(state, known) if state.stem else state for state in states)


def _tell_begun(state: Clarification, among: tuple[Clarification, ...]) -> Clarification:
    grown = [each for each in among if each.uid != state.uid and share_thread(each, state)]
    begun = [each for each in state.thread if _is_word(each) and not state.is_own(each)]
    marked = ((word, "; ".join(dict.fromkeys(_list_marks(state, word, grown)))) for word in begun)
    return replace(state, begun_with=tuple((word, mark) for word, mark in marked if mark))


def _tell_matters(state: Clarification, tell: Tell) -> Clarification:
    # What its own thread came to since is told where it stands.
    matters = [replace(one, decided_later="", contested_by="") for one in list_matters(state)]
    if not matters:
        return state
    told = state.begun_with
    for one in tell(matters):
        word, mark = one.persons_word, "; ".join(_list_matter_marks(state, one))
        told += ((word, mark),) if word is not None and mark else ()
    return replace(state, begun_with=told)


def _list_matter_marks(state: Clarification, matter: Clarification) -> Iterator[str]:
    """Yield what speaks against a matter, but what is told as speaking against its thread."""
    is_told = state.persons_word is matter.persons_word
    if matter.decided_later and not (is_told and state.decided_later):
        yield f"later decided otherwise: {matter.decided_later}"
    by = say_by_whom(matter)
    if by and not (is_told and by in say_by_whom(state)):
        yield f"contested: {by}"


def _is_word(entry: Entry) -> bool:
    return entry.type in _WORDS and bool(entry.body) and not entry.is_claim


def _list_marks(
    state: Clarification, word: Entry, others: Iterable[Clarification]
) -> Iterator[str]:
    asked = _key(state.find_asked(word))
    said_after = [_key(each) for each in state.thread[_find_turn(state, word) + 1 :]]
    for each in others:
        stands, is_last = _find_standing(each, asked)
        if stands is None or (word.is_persons_word and not stands.is_persons_word):
            continue
        if _key(stands) in said_after:
            continue  # who reads on is told it
        if stands.body.split() != word.body.split():
            doubt = f" ({stands.doubt})" if stands.doubt else ""
            said = preview_ends(fold_text(stands.body), _SAID_CHARS)
            yield f"overruled: {said}{doubt}, {each.id}"
        if is_last and each.decided_later:
            yield f"later decided otherwise: {each.decided_later}"
        by = say_by_whom(each) if is_last else ""
        if by:
            yield f"contested: {by}, {each.id}"


def _find_standing(state: Clarification, asked: object) -> tuple[Entry | None, bool]:
    """Return what stands on a thread to a question, and whether that is what the thread came to."""
    words = (each for each in state.thread if _is_word(each) and state.is_own(each))
    said = [each for each in words if _key(state.find_asked(each)) == asked]
    for last in (state.persons_word, state.decision, state.answered):
        if last is not None and any(each is last for each in said):
            return last, True
    counting = [each for each in said if not each.late]
    persons = [each for each in counting if each.is_persons_word]
    return next(iter((*persons[-1:], *counting[-1:])), None), False


def _find_turn(state: Clarification, word: Entry) -> int:
    return next(turn for turn, each in enumerate(state.thread) if each is word)


def _key(entry: Entry | None) -> tuple[object, ...]:
    """Return by what an entry is known on two threads."""
    return () if entry is None else (entry.type, entry.speaker, entry.at_ms, entry.body)
