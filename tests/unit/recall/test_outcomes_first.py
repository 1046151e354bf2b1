"""Goal: what a question came to stands before its thread, and nothing else moves."""

from __future__ import annotations

from agentx.recall.question.likeness import HitGroup
from agentx.recall.question.order.threads import lead_with_outcomes
from agentx.search.document import Hit


def hit(name: str, kind: str, score: float, passage: str = "") -> HitGroup:
    return HitGroup(
        Hit(
            doc_type=kind,
            doc_id=name,
            score=score,
            passage=passage,
            timestamp_ms=1,
            project="p",
            session="",
            agent="",
            harness="",
            role="",
            issue="",
            start=0,
        )
    )


def test_a_kept_decision_stands_before_the_thread_of_its_question() -> None:
    thread = hit("CLR-1-001", "clarification", 2.0, "Retry limit\nengineer: How often?")
    event = hit("e", "event", 1.5, "we retry [CLR-1-001]")
    kept = hit("obs-human-1-1-abcdef", "observation", 1.0, "Retry limit: Five. [CLR-1-001]")
    other = hit("obs-human-1-1-ghijkl", "observation", 0.9, "Queue: Redis. [CLR-1-002]")

    found = lead_with_outcomes((thread, event, kept, other))
    assert [each.hit.doc_id for each in found] == [
        "obs-human-1-1-abcdef",
        "CLR-1-001",
        "e",
        "obs-human-1-1-ghijkl",
    ]
    assert lead_with_outcomes((event, kept)) == (event, kept)
