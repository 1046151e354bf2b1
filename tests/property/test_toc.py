"""Every line of every level is found word for word where it says, whatever was said.

Method: conversations of random text (markdown, code, emoji, scripts without spaces, right to
left, control characters) are cut, summarised and rolled up; every excerpt is looked up at its
place, every line follows from its excerpt by the steps that are allowed, and rolling up again,
in any order, gives the same nodes.
"""

from __future__ import annotations

from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.conversation import limits
from agentx.conversation.extract.summary import ARROW, Extractive
from agentx.conversation.model import Event
from agentx.conversation.summariser import Claim, prove
from agentx.conversation.toc import roll_up, segment_node
from agentx.conversation.toc_model import Grip, TocNode
from agentx.kernel.capture import EventType
from agentx.kernel.clock import Millis
from agentx.kernel.ids import GripId
from agentx.kernel.periods import Period, parent, parse_node_id
from agentx.prose.sentences import ELLIPSIS, show_excerpt
from tests.support.talk import MORNING_MS, event, holds, segments

NOW = Millis(MORNING_MS + 10**11)
PHRASES = st.sampled_from(
    [
        "We decided to use Postgres instead of SQLite.",
        "**Root cause:** `auth.py` reads the clock twice.",
        "- Added retries to [webhooks](https://example.org/a_b)\n",
        "```\nraise Error('x')\n```\n",
        "Hi! Could you please fix the flaky test?",
        "Should the key live 24 hours?",
        "yes",
        "\n\n",
        "决定采用新的方案。",
        "قررنا استخدام الخادم.",
        "# Plan\n",
        "1. first 2. second",
        "👩‍👩‍👧 done 🎉 ",
        "<tag>\ninside\n</tag>\n",
        "E   KeyError: 'x'\n",
        "==== 3 failed, 1 passed in 0.1s ====\n",
        "[main 0a1b2c3] Fix the berth\n",
        "| a | b |\n|---|---|\n",
    ]
)
TEXTS = st.one_of(
    st.lists(PHRASES, max_size=8).map(" ".join),
    st.text(max_size=300),
    st.integers(1, 40).map(lambda n: "long clause without an end, " * n),
)
KINDS = st.sampled_from(
    [
        EventType.USER_MESSAGE,
        EventType.ASSISTANT_MESSAGE,
        EventType.TOOL_RESULT,
        EventType.TOOL_CALL,
        EventType.ASSISTANT_STOP,
        EventType.SESSION_START,
    ]
)
TALKS = st.lists(
    st.tuples(st.integers(0, 4000), KINDS, TEXTS, st.sampled_from(["s1", "s2"])),
    min_size=1,
    max_size=14,
)


def events_of(talk: list[tuple[int, EventType, str, str]]) -> list[Event]:
    return [
        event(text, kind=kind, minute=minute, session=session, number=number)
        for number, (minute, kind, text, session) in enumerate(talk)
    ]


def built(events: list[Event]) -> tuple[dict[str, TocNode], dict[GripId, Grip]]:
    """Build the whole table of contents."""
    nodes: dict[str, TocNode] = {}
    grips: dict[GripId, Grip] = {}
    days: dict[Period, list[TocNode]] = {}
    for part in segments(events):
        summary = Extractive().summarise(part)
        grips.update((held.grip_id, held) for held in summary.grips)
        node = segment_node(part, summary, now_ms=NOW, zone=UTC)
        nodes[node.node_id] = node
        day = parse_node_id(f"toc:day:{part.day}")
        assert isinstance(day, Period)
        days.setdefault(day, []).append(node)
    level = days
    while level:
        above: dict[Period, list[TocNode]] = {}
        for period, children in level.items():
            node = roll_up(period, children, now_ms=NOW, zone=UTC)
            nodes[node.node_id] = node
            up = parent(period)
            if up is not None:
                above.setdefault(up, []).append(node)
        level = above
    return nodes, grips


@pytest.mark.promise("toc.proven")
@settings(max_examples=80, deadline=None)
@given(talk=TALKS)
def test_every_line_of_every_level_is_proven_word_for_word(
    talk: list[tuple[int, EventType, str, str]],
) -> None:
    events = events_of(talk)
    texts = {one.event_id: one.text for one in events}

    nodes, grips = built(events)

    for node in nodes.values():
        assert node.title
        assert len(node.bullets) <= limits.YEAR_BULLETS_MAX
        for bullet in node.bullets:
            assert bullet.text
            assert bullet.grip_ids
            for grip_id in bullet.grip_ids:
                held = grips[grip_id]
                assert holds(held, texts)
                assert held.toc_node_id in nodes


@settings(max_examples=80, deadline=None)
@given(talk=TALKS)
def test_a_line_follows_from_its_excerpts_by_the_allowed_steps(
    talk: list[tuple[int, EventType, str, str]],
) -> None:
    for part in segments(events_of(talk)):
        summary = Extractive().summarise(part)
        assert summary.bullets or not any(one.text.strip() for one in part.events)
        grips = {held.grip_id: held for held in summary.grips}
        for bullet in summary.bullets:
            pieces = [show_excerpt(grips[grip_id].excerpt) for grip_id in bullet.grip_ids]
            for said, piece in zip(bullet.text.split(ARROW, len(pieces) - 1), pieces, strict=True):
                whole = said.removesuffix(ELLIPSIS)
                assert piece.startswith(whole) or piece == said


@settings(max_examples=80, deadline=None)
@given(talk=TALKS, data=st.data())
def test_building_again_in_any_order_gives_the_same(
    talk: list[tuple[int, EventType, str, str]], data: st.DataObject
) -> None:
    events = events_of(talk)

    assert built(events) == built(data.draw(st.permutations(events)))


@settings(max_examples=200, deadline=None)
@given(talk=TALKS, said=st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_whatever_a_model_says_only_what_can_be_looked_up_is_kept(
    talk: list[tuple[int, EventType, str, str]], said: list[tuple[str, str]]
) -> None:
    events = events_of(talk)
    texts = {one.event_id: one.text for one in events}
    node_id = segments(events)[0].node_id

    found = prove([Claim(text=text, quote=quote) for text, quote in said], events, node_id)

    assert all(holds(held, texts) for held in found.grips)
    assert {grip_id for bullet in found.bullets for grip_id in bullet.grip_ids} == {
        held.grip_id for held in found.grips
    }
