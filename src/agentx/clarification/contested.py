"""What stands, and is contradicted by somebody whom the reader does not trust yet.

A word that was signed with a key which nobody trusted here settles nothing. It may be a colleague's
all the same: whoever is told the answer that stands is told that it is contested, in no words of
the stranger's, and the person is told whom to trust or not. It is contested no longer once a person
has seen that and said what holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import PERSON, Clarification, Entry, EntryType
from agentx.clarification.ways import UNTRUSTED

SAID_OTHERWISE = "a writer who is not trusted here said otherwise"
_WORDS = frozenset({EntryType.ANSWER, EntryType.RESOLUTION})


def find_contesting(state: Clarification) -> Entry | None:
    """Return the last that a writer who is not trusted said otherwise, as a person; or None.

    What a person had seen who said what stands, stands before it in the thread, whatever clocks
    say. Against an agent's word a person's would hold, were it said before or after. Where nothing
    stands it is a claim like any other.
    """
    stands = state.persons_word or state.decision or state.answered
    if stands is None:
        return None
    turns = (turn for turn, each in enumerate(state.thread, 1) if each is stands)
    first = next(turns, 0) if stands.is_persons_word else 0
    said = [each for each in state.thread[first:] if contradicts(each, stands)]
    return said[-1] if said else None


def contradicts(said: Entry, word: Entry) -> bool:
    """Tell whether a writer who is not trusted says otherwise than a word, as a person."""
    is_untrusted = said.late and is_untrusted_word(said.type, said.speaker, said.via)
    return is_untrusted and said.body.split() not in ([], word.body.split())


def is_contested(state: Clarification) -> bool:
    """Tell whether what stands is contested, in its thread or elsewhere."""
    return bool(state.contested_by) or find_contesting(state) is not None


def find_untrusted(state: Clarification) -> Entry | None:
    """Return what a writer who is not trusted said, as a person, and a person has to hear; or None.

    It contests what stands, or decides what agents have between them. What waits for a person is
    told to them anyway, with all that is claimed.
    """
    claim = None if state.waits_for_person or not state.is_active else state.claim
    is_theirs = claim is not None and is_untrusted_word(claim.type, claim.speaker, claim.via)
    return find_contesting(state) or (claim if is_theirs else None)


def keep_contested(states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return those of some questions that came to something which is contested."""
    return tuple(state for state in states if find_contesting(state) is not None)


def is_untrusted_word(kind: object, speaker: object, via: object) -> bool:
    """Tell whether an entry is a person's word by a writer who is not trusted."""
    return kind in _WORDS and speaker == PERSON and via == UNTRUSTED


def say_contested(state: Clarification) -> str:
    """Return that what stands is contested, and who can tell; nothing where it is not."""
    if not is_contested(state):
        return ""
    return (
        f"contested: {state.contested_by or SAID_OTHERWISE}; ask the user before you rely on it "
        f"(agentx clarify --issue {state.issue})"
    )


def tell_contested(state: Clarification, writer: str) -> str:
    """Return to the person who contests an answer, and what they can do about it."""
    word = find_untrusted(state)
    if word is None:
        return ""
    verb = "decided" if word.type is EntryType.RESOLUTION else "answered"
    otherwise = "it" if find_contesting(state) is None else "otherwise"
    return (
        f"{state.id}: {writer or 'a writer'}, whom you do not trust, has {verb} {otherwise}. "
        f"Read it: agentx clarify --issue {state.issue}; say what holds: "
        f'agentx clarify resolve {state.id} "..."; or believe it: '
        f"agentx trust --writer {writer or 'NAME'}"
    )
