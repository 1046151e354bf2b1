"""What stands, and was contradicted since by somebody whom the reader does not trust yet.

A word that was signed with a key which nobody trusted here settles nothing. It may be a colleague's
all the same: whoever is told the answer that stands is told that it is contested, in no words of
the stranger's, and the person is told whom to trust or not.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import PERSON, Clarification, Entry, EntryType
from agentx.clarification.ways import UNTRUSTED

_WORDS = frozenset({EntryType.ANSWER, EntryType.RESOLUTION})


def find_contesting(state: Clarification) -> Entry | None:
    """Return the last that a writer who is not trusted said otherwise, as a person; or None.

    Where nothing stands it is a claim like any other.
    """
    stands = state.persons_word or state.decision or state.answered
    if stands is None:
        return None
    said = [
        each
        for each in state.thread
        if is_untrusted_word(each.type, each.speaker, each.via)
        and each.late
        and each.at_ms >= stands.at_ms
        and each.body.split() not in ([], stands.body.split())
    ]
    return said[-1] if said else None


def keep_contested(states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return those of some questions that came to something which is contested."""
    return tuple(state for state in states if find_contesting(state) is not None)


def is_untrusted_word(kind: object, speaker: object, via: object) -> bool:
    """Tell whether an entry is a person's word by a writer who is not trusted."""
    return kind in _WORDS and speaker == PERSON and via == UNTRUSTED


def say_contested(state: Clarification) -> str:
    """Return that what stands is contested, and who can tell; nothing where it is not."""
    if find_contesting(state) is None:
        return ""
    return (
        "contested: a writer who is not trusted here has said otherwise since; ask the user "
        f"before you rely on it (agentx clarify --issue {state.issue})"
    )


def tell_contested(state: Clarification, writer: str) -> str:
    """Return to the person who contests an answer, and what they can do about it."""
    word = find_contesting(state)
    if word is None:
        return ""
    verb = "decided" if word.type is EntryType.RESOLUTION else "answered"
    return (
        f"{state.id}: {writer or 'a writer'}, whom you do not trust, has {verb} otherwise since. "
        f"Read it: agentx clarify --issue {state.issue}; believe it: "
        f"agentx trust --writer {writer or 'NAME'}"
    )
