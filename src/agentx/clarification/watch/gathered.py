"""The questions of one look, gathered by their words: each is read once, however many ask the same.

Held against each other one by one, a hundred questions are read ten thousand times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from agentx.clarification.contested import contests, contradicts, find_unsure
from agentx.clarification.model import Clarification, Entry
from agentx.kernel.ids import is_ulid, ulid_ms
from agentx.prose.same.wording import Key, key_words

Turn = tuple[int, str, str]
Said = tuple[Clarification, Entry]


def gather(states: Iterable[Clarification]) -> GatheredQuestions:
    """Return questions gathered; who has them so hands them on."""
    return states if isinstance(states, GatheredQuestions) else GatheredQuestions(states)


class GatheredQuestions:
    """Questions as they are at one moment, and what was said to the same words."""

    def __init__(self, states: Iterable[Clarification]) -> None:
        self._states = tuple(states)

    def __iter__(self) -> Iterator[Clarification]:
        return iter(self._states)

    def list_said(self, asked: Key) -> Sequence[Said]:
        """Return what people said that stands to the same words, the last first."""
        return self._said.get(asked, ())

    def list_sure(self, asked: Key) -> Sequence[Said]:
        """Return what of it is not in doubt."""
        return self._sure.get(asked, ())

    def list_uncounted(self, asked: Key) -> Sequence[Said]:
        """Return what was said to the same words as a person, does not count, and is not over."""
        return self._uncounted.get(asked, ())

    def list_decided(self, asked: Key) -> Sequence[Said]:
        """Return what questions in the same words came to."""
        return self._decided.get(asked, ())

    @cached_property
    def _said(self) -> Mapping[Key, list[Said]]:
        found = _group((each, word) for each in self._states for word in list_spoken(each))
        for said in found.values():
            said.sort(key=lambda pair: find_turn(*pair), reverse=True)
        return found

    @cached_property
    def _sure(self) -> Mapping[Key, list[Said]]:
        return {
            asked: [pair for pair in said if not pair[1].doubt]
            for asked, said in self._said.items()
        }

    @cached_property
    def _uncounted(self) -> Mapping[Key, list[Said]]:
        return _group(
            (each, said) for each in self._states for said in _list_claims(each) if not said.is_over
        )

    @cached_property
    def _decided(self) -> Mapping[Key, list[Said]]:
        words = ((each, each.decision) for each in self._states)
        return _group((each, word) for each, word in words if word is not None)


def key_asked(state: Clarification, word: Entry) -> Key:
    """Return what makes two questions of an issue one: what was asked that something answers."""
    return key_words(state.topic, state.question_of(word))


def key_awaited(state: Clarification) -> Key:
    """Return the same of what was asked last."""
    return key_words(state.topic, state.asked_last)


def list_spoken(state: Clarification) -> list[Entry]:
    """Return what a person said last to each thing that a thread asks, and what of it is sure.

    Also what came too late to stand there: who said it said it all the same, and it may be the last
    that was said to the same anywhere.
    """
    last = [each for words in list_last_words(state).values() for each in words]
    others = (each for each in _list_words(state) if not any(each is one for one in last))
    late = (each for each in others if each.late and not (contests(each) or each.is_over))
    return [*last, *late]


def list_last_words(state: Clarification) -> Mapping[Key, list[Entry]]:
    """Return what a person said in time to each thing that a thread asks: the last that is sure
    where the last is not, and the last.

    A follow-up asks something else: what was said before it stands as it was said.
    """
    said = [each for each in _list_words(state) if not each.late]
    last: dict[Key, list[Entry]] = {}
    word = state.persons_word
    is_last = word is not None and not (state.lets_go(word) or find_unsure(state))
    standing = (word,) if word is not None and is_last else ()
    for each in (*said, *standing):
        before = last.setdefault(key_asked(state, each), [])
        before[:] = [*[one for one in before if each.doubt and not one.doubt][-1:], each]
    return last


def _list_words(state: Clarification) -> list[Entry]:
    said = (each for each in state.thread if each.is_persons_word and not state.lets_go(each))
    return [each for each in said if state.is_own(each)]


def _group(pairs: Iterable[Said]) -> Mapping[Key, list[Said]]:
    found: dict[Key, list[Said]] = defaultdict(list)
    for each, said in pairs:
        found[key_asked(each, said)].append((each, said))
    return dict(found)


def _list_claims(state: Clarification) -> Iterable[Entry]:
    """Return what is claimed of a person, of each thing asked the last that nobody had seen."""
    claims = [(turn, each) for turn, each in enumerate(state.thread) if contests(each)]
    if not claims:
        return ()
    words, found = list_last_words(state), dict[Key, list[Entry]]()
    for turn, each in claims:
        asked = key_asked(state, each)
        stands = words[asked][-1] if asked in words else None
        if stands is None:
            found.setdefault(asked, []).append(each)
        elif contradicts(each, stands) and any(stands is one for one in state.thread[:turn]):
            found[asked] = [each]  # who said what stands had seen the others
    return [each for said in found.values() for each in said]


def find_turn(state: Clarification, word: Entry) -> Turn:
    """Return by what it is known which of two words was said last.

    The id of an event is later than all that its writer had seen, whatever clocks say. An agent's
    word, and what stood in a row, was said when it says so, and never before it was asked.
    """
    if is_ulid(word.uid):
        return ulid_ms(word.uid), word.uid, ""
    asked_ms = max(state.created_ms, ulid_ms(state.uid) if is_ulid(state.uid) else 0)
    return max(word.at_ms, asked_ms), state.uid, state.id
