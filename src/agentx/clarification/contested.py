"""What stands, and is contradicted by a word that does not count.

A word that was signed with a key which nobody trusted here settles nothing, and nor does a reply on
GitHub that was read once the matter was decided. It may be a colleague's all the same: whoever is
told the answer that stands is told that it is contested, in no words of theirs, and the person is
told who contests it. It is contested no longer once a person has seen that and said what holds.
Nor does a person's word that is in doubt take back a sure one to the same: each contests the other.
"""

from __future__ import annotations

from collections.abc import Iterable

from agentx.clarification.model import PERSON, Clarification, Entry, EntryType
from agentx.clarification.ways import UNTRUSTED, is_brought, is_missed
from agentx.kernel.roles import UNCONFIRMED
from agentx.kernel.text import fold_text, preview_ends
from agentx.prose.same.wording import key_words

SAID_OTHERWISE = "a writer who is not trusted here said otherwise"
REPLY_MISSED = "says otherwise, and was not taken"
REPLY_BROUGHT = "says otherwise, brought by a writer who is not trusted here, unverified"
SAID_CHARS = 200
_WORDS = frozenset({EntryType.ANSWER, EntryType.RESOLUTION})


def find_contesting(state: Clarification) -> Entry | None:
    """Return what was said otherwise than what stands, and contests it; or None."""
    return find_uncounted(state) or _find_sure(state) or find_unsure(state)


def find_uncounted(state: Clarification) -> Entry | None:
    """Return the last that was said otherwise, as a person, and does not count; or None.

    What a person had seen who said what stands, stands before it in the thread, whatever clocks
    say. Against an agent's word a person's would hold, were it said before or after. Where nothing
    stands it is a claim like any other.
    """
    stands = _find_standing(state) if any(map(contests, state.thread)) else None
    if stands is None:
        return None
    turns = (turn for turn, each in enumerate(state.thread, 1) if each is stands)
    first = next(turns, 0) if stands.is_persons_word else 0
    said = [each for each in state.thread[first:] if contradicts(each, stands)]
    said = [each for each in said if not state.lets_go(each)]
    asked = key_words(state.topic, state.question_of(stands)) if said else None
    keys = ((each, key_words(state.topic, state.question_of(each))) for each in reversed(said))
    return next((each for each, key in keys if key == asked), None)


def _find_sure(state: Clarification) -> Entry | None:
    """Return what a person surely said, where what stands is their word in doubt; or None."""
    words = (each for each in state.thread if each.is_persons_word and not each.late)
    sure = [each for each in words if not each.doubt]
    stands = state.persons_word if sure else None
    if stands is None or not stands.doubt:
        return None
    said = stands.body.split()
    others = [each for each in sure if each.body.split() != said and state.is_own(each)]
    others = [each for each in others if not state.lets_go(each)]
    if not others:
        return None
    asked = key_words(state.topic, state.question_of(stands))
    keys = ((each, key_words(state.topic, state.question_of(each))) for each in reversed(others))
    return next((each for each, key in keys if key == asked), None)


def find_unsure(state: Clarification) -> Entry | None:
    """Return what was said otherwise for a person since they surely spoke, and they only let the
    question go then: that decides nothing between both; or None."""
    settled, stands = state.resolution, state.decision
    is_let_go = settled is not None and stands is not settled and state.lets_go(settled)
    if stands is None or stands.doubt or not (is_let_go and stands.is_persons_word):
        return None
    turn = next(turn for turn, each in enumerate(state.thread) if each is stands)
    since = (each for each in state.thread[turn:] if each.is_persons_word and not each.late)
    said = [each for each in since if each.doubt and not state.lets_go(each)]
    others = [each for each in said if each.body.split() != stands.body.split()]
    asked = key_words(state.topic, state.question_of(stands)) if others else None
    keys = ((each, key_words(state.topic, state.question_of(each))) for each in reversed(others))
    return next((each for each, key in keys if key == asked), None)


def find_unconfirmed(state: Clarification) -> Entry | None:
    """Return what stands as a person's word and only a program said for them; or None."""
    word = state.persons_word
    return word if word is not None and word.doubt == UNCONFIRMED else None


def is_otherwise(body: str, state: Clarification) -> bool:
    """Tell whether words are others than those that stand."""
    stands = _find_standing(state)
    return stands is not None and body.split() not in ([], stands.body.split())


def _find_standing(state: Clarification) -> Entry | None:
    return state.persons_word or state.decision or state.answered


def contradicts(said: Entry, word: Entry) -> bool:
    """Tell whether what does not count says otherwise than a word, as a person."""
    return contests(said) and not said.is_over and said.body.split() not in ([], word.body.split())


def contests(said: Entry) -> bool:
    """Tell whether something was said as a person that does not count, and may be a colleague's."""
    return said.late and is_contesting_word(said.type, said.speaker, said.via)


def is_contested(state: Clarification) -> bool:
    """Tell whether what stands is contested, in its thread or elsewhere."""
    return bool(say_by_whom(state))


def find_untrusted(state: Clarification) -> Entry | None:
    """Return what was said as a person, does not count, and a person has to hear; or None.

    It contests what stands, or decides what agents have between them. What waits for a person is
    told to them anyway, with all that is claimed.
    """
    claim = None if state.waits_for_person or not state.is_active else state.claim
    is_theirs = claim is not None and is_contesting_word(claim.type, claim.speaker, claim.via)
    return find_uncounted(state) or (claim if is_theirs else None)


def keep_contested(states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return those of some questions that came to something which is contested."""
    return tuple(state for state in states if find_contesting(state) is not None)


def is_contesting_word(kind: object, speaker: object, via: object) -> bool:
    """Tell whether an entry is a person's word of an untrusted writer, or one that was missed."""
    is_uncounted = isinstance(via, str) and (via == UNTRUSTED or is_missed(via))
    return kind in _WORDS and speaker == PERSON and is_uncounted


def say_by_whom(state: Clarification) -> str:
    """Return by what what stands is contested; nothing where it is not.

    A reply that was changed since contests itself, whatever else does.
    """
    said, word = state.contested_by, find_contesting(state)
    if not said and word is not None:
        said = say_contesting(word)
    stands = state.persons_word if state.changed else None
    changed = (how for each, how in state.changed if each is stands)
    return "; ".join(filter(None, (*changed, said)))


def say_contesting(word: Entry, to: str = "") -> str:
    """Return what a word is that contests what stands, and to which other question it was said."""
    if not contests(word):  # it counts: of it and of what stands just one is in doubt
        where = f" ({to})" if to else ""
        said = preview_ends(fold_text(word.body), SAID_CHARS)
        sure = f"a person had decided otherwise: {said}{where}"
        asked = f" to {to}" if to else ""
        return f"a person's {word.doubt} word{asked} says otherwise" if word.doubt else sure
    if not word.account:
        return f"{SAID_OTHERWISE} to {to}" if to else SAID_OTHERWISE
    says = REPLY_BROUGHT if is_brought(word.via) else REPLY_MISSED
    return f"{word.account}'s reply on GitHub{f' to {to}' if to else ''} {says}"


def say_contested(state: Clarification) -> str:
    """Return that what stands is contested, and who can tell; nothing where it is not."""
    by = say_by_whom(state)
    if not by:
        return ""
    return (
        f"contested: {by}; ask the user before you rely on it "
        f"(agentx clarify --issue {state.issue})"
    )
