"""Goal: the same error in another session is one memory with its days, and the third time says so.

Method: a room over either store, sessions days apart; forgetting in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from agentx.kernel.bus import Bus
from agentx.kernel.clock import DAY_MS
from agentx.observations.limits import OBSERVATION_REPEATS_MAX
from agentx.observations.model import Category, Marking, Observation, SearchFilters
from agentx.observations.service import Observations, Supplies
from agentx.observations.settings import MemorySettings
from agentx.observations.tidying.repeats import join_ids, join_later, list_repeats
from tests.support.observations import observation, opened_store
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock

_SAID = (
    "`make test` failed: the harbour database refuses connections\nCause: the crane holds the port"
)


def _note(level: str, event: str, **fields: object) -> None:
    """Note nothing."""


@pytest.fixture(params=["json", "sqlite"])
def room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Observations]:
    clock = FakeClock()
    supplies = Supplies(
        settings=MemorySettings(),
        clock=clock,
        entropy=CountingEntropy(),
        bus=Bus(),
        note=_note,
        reading_costs=lambda _files: 0,
    )
    with closing(opened_store(request.param, tmp_path / "memory", clock)) as store:
        yield Observations(store, supplies)


def _error(session: str, day: int, text: str = _SAID) -> Observation:
    return observation(
        text,
        category=Category.ERROR,
        session_id=session,
        issue=day,  # another branch, another issue
        at_ms=START_MS + day * DAY_MS,
        event_ids=(f"e-{session}",),
    )


def _capture(room: Observations, *errors: Observation) -> None:
    for each in errors:
        kept = room.capture([each], agent="engineer", issue=each.issue_number)
        assert [one.id for one in kept or ()] == [each.id]
        join_later(room.store, kept or ())


def test_the_third_time_an_error_says_so_with_its_days(room: Observations) -> None:
    first, second, third = (_error(f"s{day}", day) for day in (0, 3, 5))
    _capture(room, first, second)
    (known,) = room.store.everything()
    assert known.id == first.id
    assert known.content == f"{_SAID}\nAgain on 5 March 2026."
    assert known.summary.endswith("(2 times)")

    _capture(room, third, third)  # a capture that died is done again
    (known,) = room.store.everything()
    assert known.content == f"{_SAID}\nAgain on 5 March 2026 and 7 March 2026: the third time."
    assert known.repeats == (second.id, third.id)
    assert room.store.search_by_filters(SearchFilters())[0] == known.index()
    assert [each.id for each in room.store.search("crane port")] == [first.id]
    # Whoever asks for the errors of a day is told of one that was seen again then.
    of_day = SearchFilters(since_ms=third.timestamp_ms, until_ms=third.timestamp_ms + 1)
    assert [each.id for each in room.store.search_by_filters(of_day)] == [first.id]

    better = Marking(id=first.id, content="Free the port.", summary="Free it.")
    (mended,) = room.store.mark([better])
    assert mended.content.startswith("Free the port.\nAgain on 5 March")


def test_of_what_comes_back_again_and_again_the_newest_times_are_known() -> None:
    ids = [_error(f"s{day}", day).id for day in range(OBSERVATION_REPEATS_MAX + 3)]
    assert join_ids(ids[:-1], Marking(id="one", again=(ids[-1],))) == tuple(ids[3:])


def test_the_same_session_and_another_error_are_no_repeats(room: Observations) -> None:
    first = _error("s0", 0)
    again = _error("s0", 0)
    other = _error("s1", 1, _SAID.replace("harbour database", "lighthouse").replace("port", "lamp"))
    _capture(room, first, again, other)

    assert sorted(each.id for each in room.store.everything()) == sorted(
        (first.id, again.id, other.id)
    )


def test_one_sentence_about_two_pieces_of_code_tells_two_errors(room: Observations) -> None:
    frame = "The cause: `{0}Pool` in `src/{0}.ts` was never closed, as `release()` waits for it."
    names = ("login", "search", "login")
    _capture(room, *(_error(f"s{at}", at, frame.format(name)) for at, name in enumerate(names)))

    told = [one.content for one in room.store.everything()]
    assert len(told) == 2
    assert sum("searchPool" in one for one in told) == 1


def test_what_is_forgotten_is_no_longer_said_to_have_been_seen_again(room: Observations) -> None:
    first, second, third = (_error(f"s{day}", day) for day in (0, 3, 5))
    _capture(room, first, second, third)

    room.forget([second.id])
    (known,) = room.store.everything()
    assert known.content == f"{_SAID}\nAgain on 7 March 2026."
    room.forget([third.id])
    (known,) = room.store.everything()
    assert (known.content, known.repeats) == (_SAID, ())
    _capture(room, second)
    assert list_repeats(room.store, [first.id]) == {second.id}


def test_what_was_seen_again_stays_by_itself_when_the_rest_is_merged(room: Observations) -> None:
    first, second = _error("s0", 0), _error("s3", 3)
    lamps = [
        replace(_error("s1", 0, f"The {lamp} lamp went out."), timestamp_ms=START_MS)
        for lamp in ("red", "green")
    ]
    _capture(room, first, second, *lamps)

    (done,) = room.compact(before_ms=START_MS + 90 * DAY_MS)

    assert len(done.merged) == 1
    known = room.store.get_by_id(first.id)
    assert known is not None
    assert known.content.endswith("\nAgain on 5 March 2026.")


@pytest.mark.parametrize("order", list(permutations(range(3)))[1:])
def test_the_first_time_of_an_error_is_told_whichever_session_was_captured_first(
    room: Observations, order: tuple[int, ...]
) -> None:
    errors = [_error(f"s{day}", day) for day in (0, 3, 5)]
    _capture(room, *(errors[at] for at in order))
    _capture(room, errors[order[-1]])  # a capture that died is done again

    (known,) = room.store.everything()
    assert known.id == errors[0].id
    assert known.content == f"{_SAID}\nAgain on 5 March 2026 and 7 March 2026: the third time."
    assert known.repeats == (errors[1].id, errors[2].id)


def test_what_a_person_looked_after_stays_when_an_earlier_time_is_imported(
    room: Observations,
) -> None:
    first, later = _error("s0", 0), _error("s3", 3)
    _capture(room, later)
    room.store.mark([Marking(id=later.id, pinned=True)])
    _capture(room, first)

    assert {each.id for each in room.store.everything()} == {first.id, later.id}


def test_an_error_that_came_back_is_not_told_of_as_replaced(room: Observations) -> None:
    first, later = _error("s0", 0), _error("s5", 5)
    _capture(room, later)
    room.capture([first], agent="engineer", issue=0)
    room.store.amend([replace(first, superseded_by="obs-engineer-0-1772600000000-mended")])
    join_later(room.store, [first])

    assert {each.id for each in room.store.everything()} == {first.id, later.id}


def test_what_a_person_noted_of_an_error_is_not_joined_to_what_a_session_had(
    room: Observations,
) -> None:
    noted = replace(_error("", 3), agent="human")
    room.store.store([noted])
    first = _error("one", 1)
    _capture(room, first)

    assert join_later(room.store, [first]) == ()
    assert room.store.get_by_id(noted.id) == noted
