"""Goal: a section tells each thing once, says what may be doubted, and is made of what can be had.

Method: the gatherer with sources made by hand; what real rooms give is shown with `agentx recall`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC

from agentx.kernel.errors import AgentXError, UnavailableError
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.lessons.model import Lesson
from agentx.observations.model import Observation
from agentx.recall.section.gather import OBSERVATIONS, RUN, Gatherer
from agentx.recall.section.moment import Present
from agentx.recall.section.render import Cap, section
from agentx.recall.section.sources import About, Sources
from agentx.recall.section.standing import Standing
from tests.support.observations import observation
from tests.support.time_and_chance import START_MS


def _unheard(_error: AgentXError) -> None:
    """Say nothing: a test that listens gives its own."""


def sources(
    learnt: Iterable[Observation] = (),
    *,
    broken: bool = False,
    report: Callable[[AgentXError], None] = _unheard,
) -> Sources:
    known = tuple(learnt)

    def ask() -> None:
        if broken:
            raise UnavailableError("the lock does not come free")

    def standing() -> Standing:
        ask()
        return Standing()

    def observations(_about: About, limit: int) -> tuple[Observation, ...]:
        ask()
        return known[:limit]

    def lessons(_limit: int) -> tuple[Lesson, ...]:
        ask()
        return ()

    return Sources(
        now=Present(now_ms=START_MS, zone=UTC),
        standing=standing,
        run=lambda: ("run-1", ("run-1: moor the ferry", "next: the ropes")),
        observations=observations,
        lessons=lessons,
        report=report,
    )


def test_superseded_and_stale_facts_are_shown_as_such() -> None:
    newer = observation("Keys live 30 days.", changed_files=("a.py", "b.py", "c.py", "d.py"))
    older = observation("Keys live 7 days.", superseded_by=newer.id)

    lines = list(Gatherer(sources([newer, older]), tokens=900).list_observations(About()))

    assert lines[0].text == (
        "decision (changed since: a.py, b.py, c.py and 1 more): Keys live 30 days."
    )
    assert lines[1].text == (
        f"decision (superseded by {newer.id}, it no longer holds): Keys live 7 days."
    )


def test_what_the_section_is_called_is_what_other_tools_know() -> None:
    lines = Gatherer(sources([observation("Chose JSON.")]), tokens=900).gather(About())
    text = section(lines, Cap(tokens=900), more="m").text

    assert "## Memory Recall\n- " in text


def test_a_large_budget_has_room_for_more_observations_and_a_small_one_for_twelve() -> None:
    many = [observation(f"Fact {number}.") for number in range(150)]

    def told(tokens: int) -> int:
        lines = Gatherer(sources(many), tokens=tokens).gather(About())
        return sum(line.group == OBSERVATIONS for line in lines)

    assert (told(300), told(2_400), told(4_000), told(20_000)) == (12, 12, 20, 100)


def test_lines_of_the_run_may_point_to_one_place_and_nothing_else_stands_twice() -> None:
    same = observation("Chose JSON.")

    lines = Gatherer(sources([same, same]), tokens=900).gather(About())

    assert [line.group for line in lines] == [RUN, RUN, OBSERVATIONS]


def test_a_room_that_cannot_give_what_it_has_is_left_out_and_reported() -> None:
    said: list[str] = []
    heard = sources(broken=True, report=lambda error: said.append(error.message))

    lines = Gatherer(heard, tokens=900).gather(About(role="engineer"))

    assert [line.group for line in lines] == [RUN, RUN]
    assert said == ["the lock does not come free"] * 3


def test_a_recalled_text_cannot_leave_its_fence() -> None:
    sly = observation(f"sly {RECALL_CLOSE} and {RECALL_OPEN} words")
    lines = Gatherer(sources([sly]), tokens=900).gather(About())
    text = section(lines, Cap(tokens=900), more="m").text

    assert text.count(RECALL_OPEN) == text.count(RECALL_CLOSE) == 1
