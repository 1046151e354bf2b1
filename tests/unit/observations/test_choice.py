"""Which candidates are kept, and how the same is found said again."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.kernel.clock import Millis
from agentx.observations.extract.candidates import Keepable
from agentx.observations.extract.choice import choose, count_beyond
from agentx.observations.extract.session.finding import Finding
from agentx.observations.limits import OBSERVATIONS_PER_CAPTURE_MAX
from agentx.observations.model import Category
from agentx.prose.salience import Occasion, Speech
from agentx.prose.support import SUPPORT_MAX, count_support
from tests.support.telling import Talk


def candidate(
    number: int, worth: float, *, turn: str, source: Occasion = Occasion.CLOSING, about: str = ""
) -> Keepable:
    text = about or f"alpha{number} beta{number} gamma{number} delta{number}"
    return Keepable(
        finding=Finding(
            category=Category.KEY_FACT,
            content=text,
            summary=text,
            event_ids=(turn,),
            at_ms=Millis(number),
        ),
        said=Speech(text=text, source=source),
        about=frozenset(text.split()),
        worth=worth,
    )


def test_a_long_report_does_not_push_out_what_was_said_elsewhere() -> None:
    report = [candidate(n, 0.8, turn="report") for n in range(12)]
    elsewhere = [candidate(100 + n, 0.6, turn=f"turn-{n}") for n in range(4)]

    kept = choose([*report, *elsewhere])

    assert len(kept) < len(report)
    assert all(one in kept for one in elsewhere)


def test_what_is_kept_is_of_several_kinds_where_they_are_worth_about_the_same() -> None:
    closing = [candidate(n, 0.62, turn=f"a-{n}") for n in range(20)]
    prompts = [candidate(50 + n, 0.5, turn=f"b-{n}", source=Occasion.PROMPT) for n in range(3)]

    kept = choose([*closing, *prompts])

    assert sum(one.said.source is Occasion.PROMPT for one in kept) > 0


def test_no_more_are_kept_than_a_capture_may_hold() -> None:
    many = [candidate(n, 0.9, turn=f"t-{n}") for n in range(6_000)]

    assert len(choose(many)) == OBSERVATIONS_PER_CAPTURE_MAX - 1


def test_what_is_not_worth_it_leaves_its_room_empty() -> None:
    assert choose([candidate(n, 0.1, turn=f"t-{n}") for n in range(50)]) == []


@given(st.lists(st.tuples(st.integers(0, 4), st.frozensets(st.sampled_from("abcdefghij")))))
@settings(max_examples=60, deadline=None)
def test_support_is_what_comparing_every_line_with_every_other_gives(
    lines: list[tuple[int, frozenset[str]]],
) -> None:
    assert count_support(lines) == [
        min(SUPPORT_MAX, sum(_supports(one, other) for other in lines)) for one in lines
    ]


def _supports(one: tuple[int, frozenset[str]], other: tuple[int, frozenset[str]]) -> bool:
    least = min(len(one[1]), len(other[1]))
    return one[0] != other[0] and least >= 3 and 2 * len(one[1] & other[1]) >= least


def test_support_of_a_very_long_session_is_counted_without_comparing_all_with_all() -> None:
    draw = random.Random(7)
    words = [f"word{int(draw.paretovariate(0.7))}" for _ in range(5_000)]
    lines = [(n // 3, frozenset(draw.choices(words, k=draw.randint(4, 15)))) for n in range(3_000)]

    assert len(count_support(lines)) == len(lines)


def rule(number: int, said: str, *, weight: int = 78) -> Keepable:
    """Return something that a person settled, of little worth by its words."""
    one = candidate(number, 0.3, turn=f"rule-{number}", source=Occasion.DECISION, about=said)
    content = f"The user said: {said}"
    finding = replace(
        one.finding, category=Category.DECISION, content=content, summary=content, weight=weight
    )
    return replace(one, finding=finding)


def test_what_people_settle_is_kept_however_much_else_a_session_holds() -> None:
    settled = [rule(n, f"never touch folder{n} module{n} client{n}") for n in range(30)]
    work = [candidate(1_000 + n, 0.95, turn=f"work-{n}") for n in range(60)]

    kept = choose([*work, *settled])

    assert all(one in kept for one in settled)
    assert sum(one in work for one in kept) > 1
    assert len(kept) < OBSERVATIONS_PER_CAPTURE_MAX


def test_of_more_rulings_than_a_capture_may_hold_the_standing_and_the_newest_are_kept() -> None:
    once = [rule(n, f"the limit{n} of page{n} is {n}, not {n + 1}") for n in range(60)]
    standing = [rule(0, "never log card numbers", weight=84)]

    kept = choose([*standing, *once])

    assert standing[0] in kept
    assert once[-1] in kept
    assert once[0] not in kept
    assert count_beyond([*standing, *once], kept) == len(once) + 1 - sum(
        one.said.source is Occasion.DECISION for one in kept
    )
    assert len(kept) < OBSERVATIONS_PER_CAPTURE_MAX


def test_a_ruling_that_was_said_again_is_kept_once() -> None:
    again = [rule(n, "tests must not hit the network") for n in range(5)]

    assert len(choose(again)) == 1


def test_what_says_why_is_kept_beside_the_wish_in_whose_words_it_is_said() -> None:
    wish = "Move the importer to asyncio, keep the CLI sync"
    done = "The importer uses `asyncio.TaskGroup` now, because gather swallowed the first failure."
    repeated = "The importer uses asyncio now. The CLI stays sync."

    def told(reply: str) -> str:
        return "\n".join(Talk().user(wish).agent(reply).kept())

    assert done in told(f"{done} The CLI stays sync.")
    assert wish in told(f"{done} The CLI stays sync.")
    assert "stays sync" not in told(repeated)
