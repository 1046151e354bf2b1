"""What else a person said to the same question, asked more than once: the last word stands.

Whoever changed their mind is asked anew, a contested question is decided once more, and clones ask
the same before they meet. To whichever of such questions a person spoke last, what they said stands
against what the others came to. It is the same question where it is asked of the same issue in the
same words (`wording`), topic and all, whoever asks; one that is merely alike says nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.contested import (
    SAID_CHARS,
    contradicts,
    find_contesting,
    find_unsure,
    say_by_whom,
    say_contesting,
)
from agentx.clarification.model import Clarification, ClarificationStatus, Entry
from agentx.clarification.watch.awaiting import (
    find_awaited,
    is_of_same_issue,
    is_to_be_answered,
)
from agentx.clarification.watch.gathered import (
    GatheredQuestions,
    Said,
    find_turn,
    gather,
    key_asked,
    key_awaited,
)
from agentx.clarification.watch.matters import list_matters, list_standing
from agentx.kernel.ids import is_ulid, ulid_ms
from agentx.kernel.text import fold_text, preview_ends
from agentx.prose.same.wording import Key


def find_later(state: Clarification, among: Iterable[Clarification]) -> Clarification | None:
    """Return the question that asks the same, and to which a person said otherwise later."""
    found = find_otherwise(state, among)
    return None if found is None else found[0]


def find_repeated(state: Clarification, among: Iterable[Clarification]) -> Clarification | None:
    """Return the question that asks the same, and came to the same by a person's later word."""
    found = _find_last(state, among)
    return found[0] if found and is_come_to(*found) and _says_same(state, found[1]) else None


def is_come_to(state: Clarification, word: Entry) -> bool:
    """Tell whether a question, or what it asked before, came to a word: then memory tells it."""
    if state.resolution is not None and word is state.persons_word:
        return True
    return any(word is each.persons_word for each in list_matters(state))


def was_said_since(state: Clarification, among: Iterable[Clarification], since_ms: int) -> bool:
    """Tell whether a person said something to the same since a moment, elsewhere."""
    found = _find_last(state, among)
    return found is not None and find_turn(*found)[0] >= since_ms


def find_otherwise(state: Clarification, among: Iterable[Clarification]) -> Said | None:
    """Return the same, with what a person said to it."""
    found = _find_last(state, among)
    return None if found is None or _says_same(state, found[1]) else found


def _find_last(state: Clarification, among: Iterable[Clarification]) -> Said | None:
    """Return the question that asks the same, and what a person said to it last of all."""
    word = _find_word(state)
    if word is None:
        return None
    known, asked = gather(among), key_asked(state, word)
    # What is in doubt takes nothing back that is not.
    said = known.list_said(asked) if word.doubt else known.list_sure(asked)
    last = _find_elsewhere(state, said)
    return last if last is not None and find_turn(*last) > find_turn(state, word) else None


def _find_word(state: Clarification) -> Entry | None:
    """Return what a question came to, or was answered last."""
    if state.status is not ClarificationStatus.ANSWERED:
        return state.decision
    answered = state.answered
    return answered if answered is not None and state.is_own(answered) else None


def _find_elsewhere(state: Clarification, said: Iterable[Said]) -> Said | None:
    """Return the first that was said to another question of the same issue."""
    return next((each for each in said if _is_elsewhere(each[0], state)), None)


def _is_elsewhere(each: Clarification, state: Clarification) -> bool:
    """Tell whether a question is another one of the same issue.

    An offshoot is; what it begins with, of the thread that it grew from, was not said to it.
    """
    return each.id != state.id and is_of_same_issue(state, each)


def _says_same(state: Clarification, said: Entry) -> bool:
    word = _find_word(state)
    return word is not None and word.body.split() == said.body.split()


def holds_against(state: Clarification, word: Entry, others: Iterable[Clarification]) -> bool:
    """Tell whether a person's word holds against what the same came to elsewhere.

    It says the same, or was said later, and is in no more doubt.
    """
    for each, said in gather(others).list_decided(key_asked(state, word)):
        if each.uid == state.uid or said.body.split() == word.body.split():
            continue
        # What an agent answered another one binds neither.
        if not (said.is_persons_word or each.asker == state.asker):
            continue
        is_last = find_turn(state, word) > find_turn(each, said)
        if not (is_last and _is_elsewhere(each, state)) or (word.doubt and not said.doubt):
            return False
    return True


def find_contesting_elsewhere(state: Clarification, among: Iterable[Clarification]) -> Said | None:
    """Return the question that asks the same, and what was said to it that contests what was said
    there: as a person, otherwise, and it does not count, or just one of both words is in doubt."""
    known = gather(among)
    return _find_uncounted(state, known) or find_in_doubt(state, known)


def _find_uncounted(state: Clarification, among: Iterable[Clarification]) -> Said | None:
    word = _find_word(state)
    if word is None:
        return None
    said = gather(among).list_uncounted(key_asked(state, word))
    return _find_elsewhere(state, (each for each in said if contradicts(each[1], word)))


def find_in_doubt(state: Clarification, among: Iterable[Clarification]) -> Said | None:
    """Return the question that asks the same, and what a person said to it otherwise, where one of
    both words is sure and the last one is not: that takes nothing back, and neither is told alone.
    """
    word, known = _find_word(state), gather(among)
    if word is None or not word.is_persons_word or state.lets_go(word):
        return None
    asked = key_asked(state, word)
    said = known.list_sure(asked) if word.doubt else known.list_said(asked)
    last = _find_elsewhere(state, said)
    if last is None or last[1].body.split() == word.body.split():
        return None
    is_last = find_turn(*last) > find_turn(state, word)
    is_so = bool(word.doubt) or (bool(last[1].doubt) and is_last)
    return last if is_so and find_later(state, known) is None else None


def tell_in_doubt(state: Clarification, among: Iterable[Clarification]) -> Clarification | None:
    """Return a question whose word is in doubt, with the sure one that it contradicts; or None.

    In its own thread, or elsewhere. It is over once a person said surely, later, what holds.
    """
    word, known = state.persons_word, gather(among)
    if word is None or not (word.doubt or find_unsure(state)):
        return None
    last = _find_elsewhere(state, known.list_sure(key_asked(state, word)))
    if last is not None and find_turn(*last) > find_turn(state, word):
        return None
    if find_contesting(state) is not None:
        return state
    sure = find_in_doubt(state, known)
    by = "" if sure is None else say_contesting(sure[1], sure[0].id)
    return replace(state, contested_by=by) if by else None


def contests_elsewhere(state: Clarification, among: Iterable[Clarification]) -> bool:
    """Tell whether what was said to a question contests what stands of the same elsewhere."""
    known, one = gather(among), gather((state,))
    return any(
        _find_uncounted(each, one) is not None and find_later(each, known) is None for each in known
    )


def share_thread(one: Clarification, other: Clarification) -> bool:
    """Tell whether two questions are one, or grew out of one."""
    return bool(one.uid) and (one.stem or one.uid) == (other.stem or other.uid)


def tell_later(
    states: Iterable[Clarification], among: Iterable[Clarification]
) -> tuple[Clarification, ...]:
    """Return questions with what people said to the same later, of all that were asked."""
    known = gather(among)
    return tuple(_tell_later(state, known) for state in states)


def _tell_later(state: Clarification, among: GatheredQuestions) -> Clarification:
    if is_to_be_answered(state):
        return _tell_waiting(state, among)
    contesting, later = find_contesting_elsewhere(state, among), find_otherwise(state, among)
    told = replace(state, stands_beside=_tell_standing(state, among))
    if contesting is not None:
        told = replace(told, contested_by=say_contesting(contesting[1], contesting[0].id))
    if later is not None:
        asked, word = later
        said = f"{_say_word(word)} ({_say_where(asked, word, among)})"
        told = replace(told, decided_later=said, decided_later_for=asked.asker)
    return told


def _tell_standing(state: Clarification, among: GatheredQuestions) -> str:
    """Return of what was only let go what people had said to the same; or nothing.

    It takes none of that back; what was surely said later is told as that.
    """
    word = _find_word(state)
    if word is None or not state.says_nothing(word):
        return ""
    later = find_otherwise(state, among)
    said = _list_standing(state, key_asked(state, word), among)
    told = (each for each in said if later is None or each[1] is not later[1])
    return _say_words(told, among)


def _tell_waiting(state: Clarification, among: GatheredQuestions) -> Clarification:
    """Return what waits with what people had said to the same, and have said since."""
    awaited = find_awaited(state)
    asked = (ulid_ms(awaited) if is_ulid(awaited) else state.created_ms, awaited, state.id)
    said = _list_standing(state, key_awaited(state), among)
    return replace(
        state,
        stands_beside=_say_words((each for each in said if find_turn(*each) <= asked), among),
        decided_meanwhile=_say_words((each for each in said if find_turn(*each) > asked), among),
    )


def _list_standing(state: Clarification, asked: Key, among: GatheredQuestions) -> tuple[Said, ...]:
    """Return what stands for the same words elsewhere: what a person said last that is sure, and
    what is in doubt and was said after that, otherwise."""
    sure = _find_elsewhere(state, among.list_sure(asked))
    last = _find_elsewhere(state, among.list_said(asked))
    if last is None or sure is None or last[1].body.split() == sure[1].body.split():
        return tuple(each for each in (sure or last,) if each is not None)
    return sure, last


def _say_words(words: Iterable[Said], among: GatheredQuestions) -> str:
    """Return what people said, each with where, what is doubtful about it, and otherwise."""
    return "; ".join(
        f"{_say_word(word)} ({_say_where(asked, word, among)}{_say_contrary(asked, word)})"
        for asked, word in words
    )


def _say_contrary(asked: Clarification, word: Entry) -> str:
    """Return what people had said otherwise to the very question; mostly nothing."""
    is_plain = asked.persons_word is word and find_contesting(asked) is None
    others = asked.contrary_words if is_plain else ()
    if not others:
        return ""
    doubt = f" ({others[-1].doubt})" if others[-1].doubt else ""
    return f", a person had said otherwise: {_say_word(others[-1])}{doubt}"


def _say_word(word: Entry) -> str:
    return preview_ends(fold_text(word.body), SAID_CHARS)


def _say_where(asked: Clarification, word: Entry, among: GatheredQuestions) -> str:
    """Return to what a person said something, with what is doubtful about it or contests it."""
    by = _name_contesting(asked, word, among)
    contested = f"contested: {by}" if by else ""
    return ", ".join(filter(None, (word.doubt, asked.id, contested)))


def _name_contesting(asked: Clarification, word: Entry, among: GatheredQuestions) -> str:
    """Return by what it is contested that a person said to a question; mostly nothing."""
    standing = (each for each in list_standing(asked) if each.persons_word is word)
    one = next(standing, None)
    if one is None:
        return ""
    elsewhere = _find_uncounted(one, among)
    there = "" if elsewhere is None else say_contesting(elsewhere[1], elsewhere[0].id)
    return say_by_whom(one) or there
