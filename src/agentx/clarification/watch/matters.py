"""What a person said to what a thread asked before it asked further, each read by itself.

    Shall I drop the table?   No.        a matter: the person said no to it
    May I rename it then?     Yes.       what the thread came to

A matter is the thread as it was when the next thing was asked, settled by what the person said. It
stands on its own from then on: what the thread comes to in the end takes nothing of it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agentx.clarification.model import (
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    read_question,
)
from agentx.clarification.watch.gathered import key_asked, key_awaited, list_last_words


def list_matters(state: Clarification) -> tuple[Clarification, ...]:
    """Return what people said to each thing that a thread asked before its last, in order.

    What was asked again in the same words is what the thread asks now.
    """
    asking = [each for each in state.thread if not each.late and read_question(each)]
    return tuple(_list_matters(state)) if len(asking) > 1 else ()


def _list_matters(state: Clarification) -> Iterator[Clarification]:
    now = key_awaited(state) if state.decision is None else key_asked(state, state.decision)
    for asked, words in list_last_words(state).items():
        matter = None if asked == now else _cut_thread(state, words[-1])
        if matter is not None and matter.persons_word is words[-1]:
            yield matter


def _cut_thread(state: Clarification, word: Entry) -> Clarification | None:
    """Return a thread as it was when something else was asked, settled by a word; or None."""
    at = next(turn for turn, each in enumerate(state.thread) if each is word)
    asking = (
        turn for turn, each in enumerate(state.thread) if not each.late and read_question(each)
    )
    end = next((turn for turn in asking if turn > at), None)
    if end is None:
        return None
    thread = state.thread[:end]
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
        decided_later="",
        decided_meanwhile="",
        asked_on=read_question(state.thread[end]),
    )
