"""A context is counted by category, and a conversation that fills it is made short and told of."""

from __future__ import annotations

import pytest

from agentx.agents.compaction import SUMMARY_TITLE, ContextCompactor, Message, Work
from agentx.agents.context_budget import (
    ContextBudget,
    ContextCategory,
    ContextLevel,
    format_budget_report,
    level_of,
)
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.observations.events import ContextCompacted
from agentx.observations.extract.sections import parse_sections
from agentx.observations.model import Category
from tests.support.time_and_chance import START_MS, FakeClock

WORK = Work(agent="engineer", session_id="loop-1", issue_number=29, directory="/repo")


def conversation() -> list[Message]:
    """A conversation in which something was decided, broken, changed and learnt."""
    edit = {"file_path": "/repo/src/zones.py", "old_string": "a", "new_string": "def load(): ..."}
    test = {"command": "make test"}
    return [
        Message(role="user", content="Zones must be editable by ops. Where are they?"),
        Message(
            role="assistant",
            content="`src/zones.py` reads them from Postgres, because there was no file once.",
        ),
        Message(
            role="user", content="we will keep them in TOML instead of Postgres, ops edit files"
        ),
        Message(role="tool_call", content="Edit", tool="Edit", call_id="1", arguments=edit),
        Message(role="tool", content="updated", tool="Edit", call_id="1"),
        Message(role="tool_call", content="make test", tool="Bash", call_id="2", arguments=test),
        Message(
            role="tool",
            content="Exit code 1\nKeyError: 'zone'",
            tool="Bash",
            call_id="2",
            failed=True,
        ),
        Message(
            role="assistant", content="It fails because `zone` is missing in `config/zones.toml`."
        ),
        *(Message(role="assistant", content=f"Looking at file {n}. " * 40) for n in range(30)),
        Message(role="assistant", content="Done: `src/zones.py` now reads TOML."),
    ]


def test_items_are_counted_by_category_and_never_twice() -> None:
    budget = ContextBudget(1_000, memory_limit_tokens=100)
    budget.track_item(ContextCategory.INSTRUCTION, "system", "be kind " * 10)
    budget.track_item("memory", "recalled-observations", "zones are in TOML " * 4)
    once = budget.report().tokens_used
    budget.track_item("memory", "recalled-observations", "zones are in TOML " * 4)

    report = budget.report()
    assert report.tokens_used == once
    assert report.tokens_of(ContextCategory.MEMORY) > 0
    assert report.tokens_of(ContextCategory.SKILL) == 0


def test_a_category_that_there_is_not_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidValue) as caught:
        ContextBudget().track_item("music", "x", "y")
    assert "conversation" in caught.value.hint


@pytest.mark.parametrize(
    ("percent", "level"),
    [
        (0, ContextLevel.HEALTHY),
        (49.9, ContextLevel.HEALTHY),
        (50, ContextLevel.WARNING),
        (75, ContextLevel.COMPACT),
        (90, ContextLevel.CRITICAL),
        (140, ContextLevel.CRITICAL),
    ],
)
def test_a_context_has_four_levels(percent: float, level: ContextLevel) -> None:
    assert level_of(percent) is level


def test_the_report_has_a_line_for_each_category_and_a_memory_section() -> None:
    budget = ContextBudget(memory_limit_tokens=20_000)
    assert "nothing recalled" in format_budget_report(budget.report())
    budget.track_item("memory", "recalled-observations", "zones are in TOML")

    text = format_budget_report(budget.report())

    for category in ContextCategory:
        assert f"| {category} |" in text
    assert "### Memory" in text
    assert "of 20,000 allowed" in text
    assert "- recalled-observations: " in text
    assert "of 200,000 tokens" in text


@pytest.mark.promise("observations.compaction-told")
def test_a_full_conversation_is_made_short_and_what_it_taught_is_told() -> None:
    told: list[ContextCompacted] = []
    bus = Bus()
    bus.listen(ContextCompacted, told.append)
    compactor = ContextCompactor(bus, FakeClock(), ContextBudget(8_000))
    messages = conversation()
    assert compactor.needs_compaction(messages)

    done = compactor.compact_conversation(messages, WORK)

    assert not compactor.needs_compaction(done.messages)
    assert done.messages[0] == messages[0]
    assert done.messages[1].content.startswith(SUMMARY_TITLE)
    assert done.messages[-1] == messages[-1]
    assert done.compacted_tokens < done.original_tokens / 2
    (fact,) = told
    assert (fact.agent, fact.issue_number, fact.session_id) == ("engineer", 29, "loop-1")
    assert (fact.original_tokens, fact.compacted_tokens) == (
        done.original_tokens,
        done.compacted_tokens,
    )
    read = parse_sections(fact.summary, at_ms=Millis(START_MS), event_id="loop-1")
    taught = {one.category for one in read}
    assert {Category.DECISION, Category.ERROR, Category.KEY_FACT} <= taught


def test_a_summary_is_no_source_of_the_next_one() -> None:
    compactor = ContextCompactor(Bus(), FakeClock(), ContextBudget(8_000))
    once = compactor.compact_conversation(conversation(), WORK)

    twice = compactor.compact_conversation([*once.messages, *once.messages[2:]], WORK)

    assert twice.summary.count("TOML instead of Postgres") == 0


def test_a_short_conversation_stays_as_it_is() -> None:
    messages = conversation()[:3]

    done = ContextCompactor(Bus(), FakeClock()).compact_conversation(messages, WORK)

    assert done.messages == tuple(messages)


def test_a_result_is_never_kept_without_its_call() -> None:
    messages = conversation()
    calls = [message for message in messages if message.role in ("tool_call", "tool")]
    padded = [*messages[:3], *messages[8:-1], *calls, *calls[:1]]

    done = ContextCompactor(Bus(), FakeClock()).compact_conversation(padded, WORK)

    roles = [message.role for message in done.messages]
    assert all(roles[at - 1] != "user" for at, role in enumerate(roles) if role == "tool")
