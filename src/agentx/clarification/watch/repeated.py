"""Which questions may be asked more than once: the others need not be held against each other.

The same question has the same topic (`wording`), and is asked of the same issue. Most questions of
most issues are asked once, and to read all their words takes long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from agentx.clarification.model import Clarification, read_question
from agentx.clarification.watch.gathered import GatheredQuestions
from agentx.clarification.watch.later import tell_later
from agentx.prose.same.wording import key_topic


def keep_repeated(states: Iterable[Clarification]) -> tuple[Clarification, ...]:
    """Return those of all questions of some issues that may be asked again, or that ask further."""
    known = tuple({state.id: state for state in states}.values())
    counts = Counter(place for state in known for place in _list_places(state))
    return tuple(
        state
        for state in known
        if _asks_further(state) or any(counts[place] > 1 for place in _list_places(state))
    )


def tell_repeated(
    states: Iterable[Clarification], again: GatheredQuestions
) -> tuple[Clarification, ...]:
    """Return questions with what people said to the same later, of all that may be asked again."""
    names = {state.id for state in again}
    told = (tell_later((state,), again) if state.id in names else (state,) for state in states)
    return tuple(state for (state,) in told)


def _list_places(state: Clarification) -> Iterator[Hashable]:
    """Yield where the same would be asked: an issue is known by its number, or by its mark."""
    topic = key_topic(state.topic)
    yield topic, state.issue
    if state.issue_mark.created:
        yield topic, state.issue_mark


def _asks_further(state: Clarification) -> bool:
    asking = (each for each in state.thread if read_question(each))
    return bool(state.stem) or sum(1 for _ in asking) > 1
