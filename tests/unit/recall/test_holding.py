"""Goal: who asks what is used, or why something was left, is told what holds and why."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from agentx.recall.question.order.holding import leaves, read_holding
from agentx.recall.question.plan import Question, answer
from agentx.search.analysis import terms
from agentx.search.text.index import TextIndex
from agentx.search.text.scales import chapters
from tests.support.said_documents import say
from tests.support.time_and_chance import FakeClock

ASKED = {
    "why did we leave Kafka?": ("Kafka", True),
    "Why did we drop the sidecar": ("sidecar", True),
    "so why did we stop using moment.js?": ("moment.js", True),
    "why did we move away from Heroku?": ("Heroku", True),
    "why don't we use Redis any more?": ("Redis", True),
    "what replaced the nightly cron?": ("nightly cron", True),
    "why was Travis dropped?": ("Travis", True),
    "which queue do we use?": ("queue", False),
    "which database does the importer use now?": ("database", False),
    "what do we use for feature flags?": ("feature flags", False),
    # another question
    "why is the build slow?": None,
    "which file do I edit?": None,
    "what did we do yesterday?": None,
    "why did we leave early on Friday?": ("early", True),
    "leave Kafka": None,
    "which tests fail?": None,
    "when did we meet?": None,
}
LEAVES = [
    "Kafka eats 6 GB at rest. Move the events to NATS.",
    "We switched from Kafka to NATS, it is smaller.",
    "Kafka is gone.",
    "NATS instead of Kafka",
    "replace Kafka with NATS",
    "I dropped Kafka because nobody could operate it.",
]
STAYS = [
    "Switched the events to Kafka.",
    "Move everything to Kafka, it scales.",
    "Should we drop Kafka?",
    "Kafka keeps seven days.",
    "We replaced RabbitMQ with Kafka.",
    "I removed the flag.",
]


@pytest.mark.parametrize(("question", "about"), ASKED.items())
def test_a_question_for_what_holds_is_known_by_its_shape(
    question: str, about: tuple[str, bool] | None
) -> None:
    found = read_holding(question)

    assert (found is not None) == (about is not None)
    if found is not None and about is not None:
        assert found.about.issuperset(terms(about[0]))
        assert found.is_left == about[1]


def test_a_text_that_gives_a_thing_up_is_told_from_one_that_came_to_it() -> None:
    kafka = frozenset(terms("Kafka"))

    assert [each for each in LEAVES if not leaves(each, kafka)] == []
    assert [each for each in STAYS if leaves(each, kafka)] == []


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str], list[str]]:
    """Answer from two sessions: Kafka was chosen, and NATS took its place."""
    chosen = [
        say("e1", "Which broker should the events use?"),
        say("e2", "Kafka is known to everybody. I recommend Kafka.", role="assistant"),
        say("e3", "ok Kafka"),
        say("e4", "The events use Kafka with one topic a tenant.", role="assistant"),
    ]
    left = [
        say(
            "e5", "It eats 6 GB at rest and Kafka upgrades hurt. Move it all to NATS.", session="t"
        ),
        say("e6", "Done, 40 MB at rest.", session="t", role="assistant"),
    ]
    was = "Which broker should the events use? The user chose: ok Kafka"
    kept = [
        say(
            "obs-1",
            was,
            doc_type="observation",
            part="p",
            superseded_by="obs-2",
            drawn_from=("e2", "e3"),
        ),
        say("obs-2", "Move it all to NATS", doc_type="observation", part="p", drawn_from=("e6",)),
    ]
    with TextIndex.building(tmp_path / "index", FakeClock()) as fresh:
        for session, said in (("s", chosen), ("t", left)):
            fresh.put(said)
            fresh.put_chapters(chapters(session, said))
        fresh.put(kept)
    index = TextIndex.open(tmp_path / "index", FakeClock())

    def asked(text: str) -> list[str]:
        found = answer(index, Question(text=text, zone=UTC, limit=5))
        return [
            f"{each.hit.doc_id}{' replaced' * (each.hit.doc_id in found.replaced)}"
            for each in found.memories
        ]

    return asked


def test_what_replaced_it_comes_first_and_what_was_replaced_is_marked(
    ask: Callable[[str], list[str]],
) -> None:
    left, used = ask("why did we leave Kafka?"), ask("which broker do we use?")

    assert left[0] == "e5"
    assert set(used[:2]) & {"obs-2", "e6"}
    assert "e3 replaced" in left + used
    assert ask("events of a tenant")[0] == "e4"
