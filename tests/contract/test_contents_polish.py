"""Goal: a model's words are kept for as long as they are about what is there, and no longer.

Method: a writer in the hands of the test writes closed segments, while the log changes before,
after and meanwhile.
"""

from __future__ import annotations

import pytest

from agentx.conversation.model import EventQuery
from agentx.conversation.toc_model import Segment, SegmentSummary
from agentx.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from agentx.kernel.errors import ModelUnavailable
from tests.support.contents import Author, Shelf, in_better_words, prove
from tests.support.desk import Desk, everywhere, talk
from tests.support.drafts import draft

MODEL = Author.name


def polished_desk(desk: Desk) -> Shelf:
    shelf = desk.open()
    desk.clock.advance(2 * HOUR_MS)
    shelf.log.append(talk("s-1") + talk("s-2", begin=MINUTE_MS, words="limits"))
    shelf.contents.catch_up()
    assert shelf.contents.polish(Author(in_better_words), 10) == 2
    return shelf


def writers(shelf: Shelf) -> dict[str, str]:
    return {node.sessions[0]: node.written_by for node in shelf.levels().get("segment", ())}


def test_a_model_writes_closed_segments_and_the_day_tells_its_words(desk: Desk) -> None:
    shelf = polished_desk(desk)

    assert writers(shelf) == {"s-1": MODEL, "s-2": MODEL}
    (day,) = shelf.levels()["day"]
    assert "Better: " in day.title
    prove(shelf)
    again = Author(in_better_words)
    assert desk.open().contents.polish(again, 10) == 0
    assert again.asked == []


def test_a_model_is_shown_no_segment_that_may_still_grow(desk: Desk) -> None:
    shelf = desk.open()
    desk.clock.advance(-30 * MINUTE_MS)
    shelf.log.append(talk())
    shelf.contents.catch_up()
    author = Author(in_better_words)

    assert shelf.contents.polish(author, 10) == 0
    assert author.asked == []


def test_the_newest_segments_come_first_and_no_more_than_allowed(desk: Desk) -> None:
    desk.clock.advance(3 * DAY_MS)
    shelf = desk.open()
    shelf.log.append([one for n in range(4) for one in talk(f"s-{n}", begin=n * HOUR_MS)])
    shelf.contents.catch_up()

    assert shelf.contents.polish(Author(in_better_words), 3) == 3
    assert [name for name, by in writers(shelf).items() if by != MODEL] == ["s-0"]


def test_a_models_words_stay_until_their_segment_changes(desk: Desk) -> None:
    shelf = polished_desk(desk)

    shelf.log.append([draft("and one more", session_id="s-2", at=7 * MINUTE_MS, source_id="x")])
    shelf.contents.catch_up()

    assert writers(shelf) == {"s-1": MODEL, "s-2": "extractive"}
    prove(shelf)
    assert shelf.contents.polish(Author(in_better_words), 10) == 1
    assert writers(shelf) == {"s-1": MODEL, "s-2": MODEL}


def test_a_models_words_go_when_one_event_was_forgotten_and_another_came(desk: Desk) -> None:
    shelf = polished_desk(desk)
    events = shelf.log.events(EventQuery(session_id="s-1")).events

    shelf.log.append([draft("a late one", at=90_000, source_id="late")])
    shelf.log.forget_event(events[1].event_id)
    shelf.contents.catch_up()

    assert writers(shelf) == {"s-1": "extractive", "s-2": MODEL}
    assert everywhere(shelf.kv, "retries into sender.py") == []
    prove(shelf)


@pytest.mark.parametrize("how", ["grew", "forgotten", "exchanged", "gone"])
def test_nothing_is_written_when_the_segment_changed_while_the_model_wrote(
    desk: Desk, how: str
) -> None:
    desk.clock.advance(HOUR_MS)
    shelf = desk.open()
    shelf.log.append(talk())
    shelf.contents.catch_up()
    second = shelf.log.events(EventQuery()).events[1].event_id

    def write(segment: Segment) -> SegmentSummary:
        if how in ("grew", "exchanged"):
            shelf.log.append([draft("meanwhile", at=90_000, source_id="meanwhile")])
        if how in ("forgotten", "exchanged"):
            shelf.log.forget_event(second)
        if how == "gone":
            shelf.log.forget_session("s-1")
        return in_better_words(segment)

    assert shelf.contents.polish(Author(write), 10) == 0
    shelf.contents.catch_up()

    assert MODEL not in writers(shelf).values()
    assert shelf.view() == shelf.rebuilt()


def test_a_segment_that_a_model_cannot_tell_is_not_asked_about_again(desk: Desk) -> None:
    desk.clock.advance(DAY_MS)
    shelf = desk.open()
    shelf.log.append(talk("s-1") + talk("s-2", begin=HOUR_MS, words="limits"))
    shelf.contents.catch_up()

    def mute(segment: Segment) -> SegmentSummary | None:
        return None if segment.session_id == "s-2" else in_better_words(segment)

    author = Author(mute)
    assert shelf.contents.polish(author, 1) == 0  # the newest one
    assert shelf.contents.polish(author, 1) == 1  # does not stand in the way of the others
    assert shelf.contents.polish(author, 1) == 0
    assert len(author.asked) == 2
    other = Author(in_better_words)
    other.name = "test/other"
    assert desk.open().contents.polish(other, 1) == 1  # another model may try


def test_a_segment_that_a_model_could_not_tell_is_tried_again_once_it_changed(desk: Desk) -> None:
    desk.clock.advance(DAY_MS)
    shelf = desk.open()
    shelf.log.append(talk())
    shelf.contents.catch_up()
    assert shelf.contents.polish(Author(lambda _: None), 1) == 0

    shelf.log.append([draft("more", at=6 * MINUTE_MS, source_id="more")])
    shelf.contents.catch_up()
    assert shelf.contents.polish(Author(in_better_words), 1) == 1


def test_a_model_that_cannot_be_asked_is_asked_again_later(desk: Desk) -> None:
    desk.clock.advance(DAY_MS)
    shelf = desk.open()
    shelf.log.append(talk("s-1") + talk("s-2", begin=HOUR_MS))
    shelf.contents.catch_up()

    def away(_segment: Segment) -> SegmentSummary:
        raise ModelUnavailable("nobody is there")

    author = Author(away)
    assert shelf.contents.polish(author, 10) == 0
    assert len(author.asked) == 1  # the second would fare no better
    assert shelf.contents.polish(Author(in_better_words), 10) == 2


def test_a_model_is_shown_the_very_segment_with_what_came_just_before(desk: Desk) -> None:
    desk.clock.advance(DAY_MS)
    shelf = desk.open()
    long = "word " * 3_200
    shelf.log.append(
        [
            draft(long, kind="assistant_message", at=0, source_id="0"),
            draft("Shall we use Postgres?", kind="assistant_message", at=1_000, source_id="1"),
            draft("Yes, do.", at=1_000, source_id="2"),  # full: a prompt begins the next
            draft(
                "Done, it is in Postgres now.", kind="assistant_message", at=2_000, source_id="3"
            ),
        ]
    )
    shelf.contents.catch_up()
    shown: list[Segment] = []

    def write(segment: Segment) -> SegmentSummary:
        shown.append(segment)
        return in_better_words(segment)

    assert shelf.contents.polish(Author(write), 10) == 2
    newest, oldest = shown
    assert [event.text for event in newest.events] == ["Yes, do.", "Done, it is in Postgres now."]
    assert [event.text for event in newest.context] == ["Shall we use Postgres?"]
    assert len(oldest.events) == 2
