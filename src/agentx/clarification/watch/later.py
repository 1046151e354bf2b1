"""What was asked anew, in the same words, and decided otherwise by a person.

A question that is settled is not decided again: whoever changed their mind is asked anew. What a
person said then stands against what the earlier question came to. It is the same question where the
same agent asks it of the same issue in the same words, topic and all; one that is merely alike says
nothing of another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.model import Clarification, Entry
from agentx.clarification.watch.awaiting import fold_words, is_of_same_issue
from agentx.kernel.text import fold_text, preview

_SAID_CHARS = 200


def find_later(state: Clarification, among: Iterable[Clarification]) -> Clarification | None:
    """Return the question that asked the same later, and to which a person said otherwise."""
    word = state.decision
    if word is None:
        return None
    asked = _name_asked(state, word)
    found: Clarification | None = None
    newest = word
    for each in among:
        said = each.persons_word
        is_anew = said is not None and each.id != state.id and each.created_ms >= word.at_ms
        if said is None or not is_anew or _name_asked(each, said) != asked:
            continue
        if not is_of_same_issue(state, each):
            continue
        # What is in doubt takes nothing back that is not.
        if (not said.doubt or word.doubt) and said.at_ms >= newest.at_ms:
            found, newest = each, said
    return None if newest.body.split() == word.body.split() else found


def tell_later(
    states: Iterable[Clarification], among: Iterable[Clarification]
) -> tuple[Clarification, ...]:
    """Return questions with what a person decided otherwise later, of all that were asked."""
    known, told = tuple(among), list[Clarification]()
    for state in states:
        later = find_later(state, known)
        word = None if later is None else later.persons_word
        if later is not None and word is not None:
            said = f"{preview(fold_text(word.body), _SAID_CHARS)} ({later.id})"
            told.append(replace(state, decided_later=said))
        else:
            told.append(state)
    return tuple(told)


def _name_asked(state: Clarification, word: Entry) -> tuple[object, ...]:
    """Return what makes two questions of an issue one: who asks what."""
    return state.asker, *fold_words(state.topic, state.question_of(word))
