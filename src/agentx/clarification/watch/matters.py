"""What a person said to what a thread asked before it asked further, each read by itself.

    Shall I drop the table?   No.        a matter: the person said no to it
    May I rename it then?     Yes.       what the thread came to

A matter is the thread as it was when the next thing was asked, settled by what the person said. It
stands on its own from then on: what the thread comes to in the end takes nothing of it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agentx.clarification.contested import SAID_CHARS, say_contesting
from agentx.clarification.model import (
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    read_question,
)
from agentx.clarification.watch.awaiting import is_to_be_answered
from agentx.clarification.watch.gathered import (
    key_asked,
    key_awaited,
    list_last_words,
)
from agentx.kernel.text import fold_text, preview_ends
from agentx.prose.same.wording import Key


def list_matters(state: Clarification) -> tuple[Clarification, ...]:
    """Return what people said to each thing that a thread asked before its last, in order.

    What is asked again in the same words stands until it is settled otherwise.
    """
    asking = [
        turn for turn, each in enumerate(state.thread) if not each.late and read_question(each)
    ]
    return tuple(_list_matters(state, asking[-1])) if len(asking) > 1 else ()


def list_standing(state: Clarification) -> tuple[Clarification, ...]:
    """Return a thread and its matters; those alone while nobody has said anything to its last."""
    matters, word = list_matters(state), state.persons_word
    is_matter = word is not None and any(each.persons_word is word for each in matters)
    return matters if is_matter else (state, *matters)


def find_asked_again(state: Clarification) -> Clarification | None:
    """Return what a person said before to what a thread asks again; None where it is new."""
    if not is_to_be_answered(state):
        return None
    asked = key_awaited(state)
    found = (each for each in list_matters(state) if key_awaited(each) == asked)
    return next(found, None)


def _list_matters(state: Clarification, last: int) -> Iterator[Clarification]:
    decided = state.decision
    is_let_go = decided is not None and state.lets_go(decided)
    settled = None if decided is None or is_let_go else key_asked(state, decided)
    open_ = replace(state, status=ClarificationStatus.PENDING, thread=state.thread[:last])
    before = state if settled is not None else open_
    for asked, words in list_last_words(before).items():
        is_matter = asked != settled and state.is_own(words[-1])
        matter = _cut_thread(state, words[-1]) if is_matter else None
        if matter is not None and matter.persons_word is words[-1]:
            yield matter if settled is not None else _tell_answered(matter, state, asked)


def _tell_answered(matter: Clarification, state: Clarification, asked: Key) -> Clarification:
    """Return a matter with what was answered to the same since, and is not settled yet."""
    said, stood = state.answered, matter.persons_word
    if said is None or stood is None or not (said.is_persons_word and state.is_own(said)):
        return matter
    if key_asked(state, said) != asked or said.body.split() == stood.body.split():
        return matter
    if said.doubt and not stood.doubt:
        return replace(matter, contested_by=say_contesting(said, state.id))
    later = f"{preview_ends(fold_text(said.body), SAID_CHARS)} ({state.id})"
    return replace(matter, decided_later=later)


def _cut_thread(state: Clarification, word: Entry) -> Clarification | None:
    """Return a thread as it was when something else was asked, settled by a word; or None."""
    at = next(turn for turn, each in enumerate(state.thread) if each is word)
    asking = (
        turn for turn, each in enumerate(state.thread) if not each.late and read_question(each)
    )
    end = next((turn for turn in asking if turn > at), None)
    if end is None:
        return None
    asked = key_asked(state, word)
    late = (each for each in state.thread[end:] if each.to_asked)
    thread = (*state.thread[:end], *(each for each in late if key_asked(state, each) == asked))
    settled = [each for each in thread[at:] if each.type is EntryType.RESOLUTION and not each.late]
    if not settled:  # who asks further takes what was said
        kind = EntryType.RESOLUTION
        taken = replace(word, speaker=state.asker, type=kind, body="", via="", uid="")
        settled, thread = [taken], (*thread, taken)
    return replace(
        state,
        thread=thread,
        status=ClarificationStatus.RESOLVED,
        resolved_ms=settled[-1].at_ms,
        reason=None,
        summary="",
        overruled=(),
        contested_by="",
        stands_beside="",
        decided_later="",
        decided_meanwhile="",
        asked_on=read_question(state.thread[end]),
    )
