"""What was asked anew, in the same words, and decided otherwise by a person.

A question that is settled is not decided again: whoever changed their mind is asked anew. What a
person said then stands against what the earlier question came to. It is the same question where the
same agent asks it of the same issue in the same words, topic and all; one that is merely alike says
nothing of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.contested import contradicts, find_contesting, say_contesting
from agentx.clarification.model import Clarification, Entry
from agentx.clarification.watch.awaiting import fold_words, is_of_same_issue
from agentx.kernel.ids import is_ulid, ulid_ms
from agentx.kernel.text import fold_text, preview

_SAID_CHARS = 200


def find_later(state: Clarification, among: Iterable[Clarification]) -> Clarification | None:
    """Return the question that asked the same later, and to which a person said otherwise."""
    found = _find_last(state, among)
    return None if found is None or _says_same(state, found) else found


def find_repeated(state: Clarification, among: Iterable[Clarification]) -> Clarification | None:
    """Return the question that asked the same later, and came to the same by a person's word."""
    found = _find_last(state, among)
    is_repeated = found is not None and found.resolution is not None and _says_same(state, found)
    return found if is_repeated else None


def was_said_since(state: Clarification, among: Iterable[Clarification], since_ms: int) -> bool:
    """Tell whether a person said something since a moment, asked the same anew."""
    found = _find_last(state, among)
    word = None if found is None else found.persons_word
    return found is not None and word is not None and _find_moment(found, word) >= since_ms


def _find_last(state: Clarification, among: Iterable[Clarification]) -> Clarification | None:
    """Return the question that asked the same later, and to which a person said something last."""
    word = state.decision
    if word is None:
        return None
    asked = key_asked(state, word)
    found: Clarification | None = None
    newest_ms = _find_moment(state, word)
    for each in among:
        said = each.persons_word if is_anew(each, state, word) else None
        if said is None or key_asked(each, said) != asked:
            continue
        said_ms = _find_moment(each, said)
        # What is in doubt takes nothing back that is not.
        if (not said.doubt or word.doubt) and said_ms >= newest_ms:
            found, newest_ms = each, said_ms
    return found


def _says_same(one: Clarification, other: Clarification) -> bool:
    first, second = one.decision, other.persons_word
    return first is not None and second is not None and first.body.split() == second.body.split()


def holds_against(state: Clarification, word: Entry, others: Iterable[Clarification]) -> bool:
    """Tell whether a person's word holds against what the same came to elsewhere.

    It says the same, or was asked for anew, and is in no more doubt.
    """
    for each in others:
        said = None if each.uid == state.uid else each.decision
        if said is None or said.body.split() == word.body.split():
            continue
        if key_asked(each, said) != key_asked(state, word):
            continue
        if not is_anew(state, each, said) or (word.doubt and not said.doubt):
            return False
    return True


def find_contesting_later(
    state: Clarification, among: Iterable[Clarification]
) -> tuple[Clarification, Entry] | None:
    """Return the question that asked the same later, and what was said to it as a person that does
    not count and says otherwise, where that contests what was said there."""
    word = state.decision
    if word is None:
        return None
    asked = key_asked(state, word)
    for each in among:
        if not is_anew(each, state, word):
            continue
        claims: Iterable[Entry] = each.thread
        if each.persons_word is not None:  # who said it had seen the others
            contesting = find_contesting(each)
            claims = () if contesting is None else (contesting,)
        for said in claims:
            if contradicts(said, word) and key_asked(each, said) == asked:
                return each, said
    return None


def is_anew(each: Clarification, state: Clarification, word: Entry) -> bool:
    """Tell whether a question was asked after a word to another of the same issue.

    An id is later than all that its writer had seen, and than clocks that were set back.
    """
    if each.id == state.id or not is_of_same_issue(state, each):
        return False
    if share_thread(each, state):
        return False  # an offshoot begins with words of the thread that it grew from
    if is_ulid(each.uid) and is_ulid(state.uid) and each.uid < state.uid:
        return False
    return _find_asked_moment(each) >= word.at_ms


def share_thread(one: Clarification, other: Clarification) -> bool:
    """Tell whether two questions are one, or grew out of one."""
    return bool(one.uid) and (one.stem or one.uid) == (other.stem or other.uid)


def _find_asked_moment(state: Clarification) -> int:
    return max(state.created_ms, ulid_ms(state.uid) if is_ulid(state.uid) else 0)


def _find_moment(state: Clarification, word: Entry) -> int:
    """Return when something was said: never before it was asked, whatever clocks say."""
    return max(word.at_ms, _find_asked_moment(state))


def tell_later(
    states: Iterable[Clarification], among: Iterable[Clarification]
) -> tuple[Clarification, ...]:
    """Return questions with what a person decided otherwise later, of all that were asked."""
    known = tuple(among)
    return tuple(_tell_later(state, known) for state in states)


def _tell_later(state: Clarification, among: tuple[Clarification, ...]) -> Clarification:
    contesting, later = find_contesting_later(state, among), find_later(state, among)
    word = None if later is None else later.persons_word
    told = state
    if contesting is not None:
        told = replace(told, contested_by=say_contesting(contesting[1], contesting[0].id))
    if later is not None and word is not None:
        said = f"{preview(fold_text(word.body), _SAID_CHARS)} ({later.id})"
        told = replace(told, decided_later=said)
    return told


def key_asked(state: Clarification, word: Entry) -> tuple[object, ...]:
    """Return what makes two questions of an issue one: who asks what."""
    return state.asker, *fold_words(state.topic, state.question_of(word))
