"""Goal: who asks which tool of a kind is used is told the decision for one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from agentx.kernel.clock import Millis
from agentx.prose.tools.choosing import weigh_choice
from agentx.prose.tools.kinds import list_tools
from agentx.recall.question.order.holding import read_holding
from agentx.recall.question.plan import Question, answer
from agentx.search.document import Document
from agentx.search.text.index import TextIndex
from agentx.search.text.scales import chapters
from tests.support.said_documents import say
from tests.support.time_and_chance import FakeClock

SETTLED = [
    "And we reverse decision 1: Postgres. It will never be cheaper.",
    "We switched from SQLite to Postgres.",
    "SQLite is out, MySQL it is",
    "Decision: SQLite with WAL, foreign keys on.",
    "The user approved a plan: PostgreSQL; the constraint refuses the second",
    "Use postgres for the bookings, never mongodb",
]
GIVEN_UP = [
    "Drop SQLite.",
    "We moved off Postgres",
    "SQLite is out",
    "Should we use Postgres?",
    "Throw MySQL and SQLite out.",
    "never use MongoDB",
    "Use files, not SQLite.",
    "The helper retries twice.",
]


@pytest.mark.parametrize(
    ("kind", "one"),
    [
        ("database", "sqlite"),
        ("our databases", "postgres"),
        ("the package manager", "pnpm"),
        ("Job Queue", "celery"),
        ("linter", "ruff"),
    ],
)
def test_the_tools_of_a_kind_are_known(kind: str, one: str) -> None:
    assert one in list_tools(kind)


@pytest.mark.parametrize("kind", ["retry policy", "", "harbour", "a"])
def test_of_another_thing_no_tools_are_known(kind: str) -> None:
    assert list_tools(kind) == frozenset()


def test_what_settles_on_a_tool_is_told_from_what_only_gives_tools_up() -> None:
    tools = list_tools("database")

    assert [each for each in SETTLED if weigh_choice(each, tools) < 2] == []
    assert [each for each in GIVEN_UP if weigh_choice(each, tools)] == []


@pytest.mark.parametrize(
    ("question", "knows"),
    [
        ("what's our package manager?", True),
        ("what is our database", True),
        ("what do we use as a job queue?", True),
        ("which retry policy do we use?", False),
    ],
)
def test_a_question_for_a_kind_of_tool_is_read(question: str, knows: bool) -> None:
    found = read_holding(question)

    assert found is not None
    assert bool(found.tools) == knows


def test_a_question_for_something_else_of_ours_is_no_such_question() -> None:
    assert read_holding("what is our deadline?") is None


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str], list[str]]:
    """Answer from a project that moved from SQLite to Postgres and gave up its queue."""
    said = [
        say("e1", "Everything that writes to the database stands in one file."),
        say("e2", "A worker with Celery writes to the database, too.", role="assistant"),
    ]
    kept = [
        _keep("obs-1", "Decision: SQLite with WAL", superseded_by="obs-2"),
        _keep("obs-2", "We reverse decision 1: Postgres.", at=2),
        _keep("obs-3", "Celery delivers; it writes to the database.", superseded_by="obs-4"),
        _keep("obs-4", "Throw Celery out.", at=3),
    ]
    with TextIndex.building(tmp_path / "index", FakeClock()) as fresh:
        fresh.put(said)
        fresh.put_chapters(chapters("s", said))
        fresh.put(kept)
    index = TextIndex.open(tmp_path / "index", FakeClock())

    def asked(text: str) -> list[str]:
        found = answer(index, Question(text=text, zone=UTC, limit=5))
        return [each.hit.doc_id for each in found.memories]

    return asked


def _keep(doc_id: str, text: str, *, at: int = 1, **changes: object) -> Document:
    return say(
        doc_id,
        text,
        doc_type="observation",
        part="p",
        kind="decision",
        timestamp_ms=Millis(at),
        **changes,
    )


def test_the_decision_for_a_tool_comes_first_though_it_does_not_say_of_what_kind(
    ask: Callable[[str], list[str]],
) -> None:
    assert ask("which database do we use?")[0] == "obs-2"
    assert ask("what is our database?")[0] == "obs-2"


def test_where_every_tool_of_a_kind_was_given_up_that_comes_first(
    ask: Callable[[str], list[str]],
) -> None:
    assert ask("which job queue do we use?")[0] == "obs-4"
