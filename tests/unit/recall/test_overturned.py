"""Goal: what was overturned stands behind what did it, and says so; decisions are found as such."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from typing import Any, cast

import pytest

from agentx.kernel.clock import Millis
from agentx.prose.settling.amounts import list_taken_back
from agentx.recall.question.intent import cues
from agentx.recall.question.order.decided import read_decided
from agentx.recall.question.order.replaced import Grounds, put_replaced_behind
from agentx.recall.question.plan import Question, answer
from agentx.recall.question.rank import Vantage, rank
from agentx.search.analysis import terms
from agentx.search.document import Document, Filters
from agentx.search.query import parse
from agentx.search.text.evidence import gather
from agentx.search.text.index import Reading, TextIndex
from agentx.search.text.scales import chapters
from tests.support.time_and_chance import FakeClock

TAKES_BACK = [
    "Decision 11 reverses the 24 hours of 4 March.",
    "90 s is too short for the nightly export.",
    "Uploads may be 200 MB instead of 50 MB.",
    "The lease was raised from 30 seconds to 2 minutes.",
    "So 24 h is wrong. 7 days.",
    "Backups are kept 30 days rather than 14 days.",
    "The token lives no longer 12 hours, but one.",
    "5 % was too high, we take 2 %.",
    "Changed the cache from 10 min to 1 h.",
    "Es sind 8 Tage statt 3 Tage.",
    "512 MB is not enough for the worker.",
]
SAYS_ONLY = [
    "Keys are kept for 24 hours.",
    "It took 90 s instead of the usual quiet.",
    "Is 24 h wrong?  I do not know.",
    "The run went from green to red in 20 min.",
    "We wait 30 seconds, then 2 minutes.",
    "The 14 days were approved.",
    "24 hours is the patience of the retries, which is right.",
    "12 hours is long enough.",
    "Nothing older than 5 minutes is read.",
    "From 9 to 17 o'clock somebody answers.",
    "200 MB is the limit.",
]
ASKS_FOR_DECISIONS = {
    "what was decided about deployment?": "deployment",
    "What did we decide on the cache?": "the cache",
    "what have we agreed on for logging": "for logging",
    "which decisions did we take on the login?": "the login",
    "what is the decision on feature flags?": "feature flags",
    "so what did the team settle on regarding retries?": "regarding retries",
    "what decisions were made about money": "money",
    "what has been decided about the importer so far?": "the importer",
    "Was wurde zum Login entschieden?": "Login",
    "which decision stands for the queue?": "the queue",
    "what did they conclude about the outage?": "the outage",
    "do we use JWT?": "JWT",
    "Do we still use Redis streams": "Redis streams",
    "are we still on Celery?": "Celery",
    "is the helm chart still used?": "the helm chart",
    "should we use PyJWT?": "PyJWT",
    "benutzen wir noch Celery?": "Celery",
    # another question
    "do we use it when the cache is cold and how?": "when the cache is cold and how",
    "is it?": "",
    "how is JWT used?": "",
    "do we know why it fails?": "",
    "what was done about deployment?": "",
    "why was it decided?": "",
    "who decided about the name?": "",
    "what do we use for deployment?": "",
    "when did we decide on Postgres?": "",
    "what is a decision table?": "",
    "decided about deployment": "",
    "what did we discuss about money?": "",
    "which tests decide about the release?": "",
    "how was the login decided?": "",
}


def test_an_amount_is_taken_back_only_in_so_many_words() -> None:
    assert [each for each in TAKES_BACK if not list_taken_back(each)] == []
    assert [each for each in SAYS_ONLY if list_taken_back(each)] == []


def test_a_question_for_decisions_is_known_by_its_shape() -> None:
    found = {asked: read_decided(asked) for asked in ASKS_FOR_DECISIONS}

    assert [
        (asked, about)
        for asked, about in found.items()
        if bool(about) != bool(ASKS_FOR_DECISIONS[asked])
        or not about <= frozenset(terms(ASKS_FOR_DECISIONS[asked]))
    ] == []


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str], list[str]]:
    """Answer from three sessions; the second and third overturn parts of the first."""
    said = {
        "one": [
            _say("e1", "Thumbnails of uploads: how are they made?"),
            _say("e2", "Make thumbnails of uploads with ImageMagick, three sizes of uploads each."),
            _say("e3", "Thumbnails of uploads are made, and uploads expire after 48 hours."),
            _say("e4", "Thumbnails of uploads again, and uploads of thumbnails."),
        ],
        "two": [
            _say("e5", "Throw ImageMagick out, it leaks.", at=20),
            _say("e6", "Done. The three sizes of thumbnails stay as they were.", at=21),
        ],
        "three": [
            _say("e7", "From today thumbnails come in one size, cut by the browser.", at=30),
            _say("e8", "Uploads expire after 5 days. That reverses the 48 hours.", at=31),
            _say("e9", "ok, deploy that to the box", at=32),
        ],
    }
    kept = [
        _keep("obs-1", "Make thumbnails of uploads with ImageMagick", "e2", superseded_by="obs-2"),
        _keep("obs-2", "Throw ImageMagick out", "e5", session="two", kind="decision"),
        _keep(
            "obs-3", "Three sizes of thumbnails stay", "e6", session="two", superseded_by="obs-4"
        ),
        _keep("obs-4", "Thumbnails come in one size", "e7", session="three", kind="decision"),
        _keep("obs-5", "deploy that to the box", "e9", session="three"),
        _keep("obs-6", "Invoices are numbered by year", "", superseded_by="obs-7"),
        _keep("obs-7", "Invoices are numbered by month", ""),
    ]
    with TextIndex.building(tmp_path / "index", FakeClock()) as fresh:
        for session, rows in said.items():
            put = [Document(**{**row, "session": session}) for row in rows]  # type: ignore[arg-type]  # spelled by the tests
            fresh.put(put)
            fresh.put_chapters(chapters(session, put))
        fresh.put(kept)
    index = TextIndex.open(tmp_path / "index", FakeClock())

    def asked(text: str, limit: int = 6) -> list[str]:
        found = answer(index, Question(text=text, zone=UTC, limit=limit))
        rows = [each.hit.doc_id for each in found.memories]
        return [f"{row} <- {found.replaced[row]}" if row in found.replaced else row for row in rows]

    return asked


def _say(doc_id: str, text: str, at: int = 1) -> dict[str, object]:
    return {
        "doc_type": "event",
        "doc_id": doc_id,
        "text": text,
        "timestamp_ms": Millis(at),
        "role": "user",
    }


def _keep(doc_id: str, text: str, source: str, **changes: str) -> Document:
    values: dict[str, object] = {"session": "one", "kind": "key-fact", **changes}
    return Document(
        doc_type="observation",
        doc_id=doc_id,
        text=text,
        timestamp_ms=Millis(1),
        part="p",
        drawn_from=(source,) if source else (),
        **values,  # type: ignore[arg-type]  # spelled by the tests
    )


def test_what_stands_comes_before_what_was_overturned_and_that_is_marked(
    ask: Callable[[str], list[str]],
) -> None:
    rows = ask("how are thumbnails of uploads made?")

    gone = rows.index("e2 <- obs-2")
    assert rows.index("e5") < gone, "what replaced it, though it names no word of the question"
    assert rows.index("e7") < gone, "what overturned what the overturning session left of it"


def test_what_was_written_by_hand_is_marked_too(ask: Callable[[str], list[str]]) -> None:
    assert ask("how are invoices numbered by year?")[:2] == ["obs-7", "obs-6 <- obs-7"]


def test_a_figure_that_was_taken_back_stands_behind_what_did(
    ask: Callable[[str], list[str]],
) -> None:
    rows = ask("when do uploads expire?")

    assert rows.index("e8") < rows.index("e3 <- e8")


def test_who_asks_what_was_decided_gets_what_is_kept_as_a_decision(
    ask: Callable[[str], list[str]],
) -> None:
    assert ask("what was decided about thumbnails?")[0] == "e7"
    assert "e9" not in ask("what was decided about ImageMagick?")[:1]


def test_nothing_is_marked_that_nobody_overturned(ask: Callable[[str], list[str]]) -> None:
    assert all(" <- " not in row for row in ask("deploy box"))


class CountedReading:
    """A reading of the index that counts the memories that are opened."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.opened = 0

    def __getattr__(self, name: str) -> Any:
        if name == "open_tied":
            self.opened += 1
        return getattr(self._reading, name)


@pytest.mark.parametrize(("replaced", "opened_max"), [("", 0), ("obs-new", 12)])
def test_of_what_was_made_of_the_best_rows_only_what_concerns_a_replaced_one_is_opened(
    tmp_path: Path, replaced: str, opened_max: int
) -> None:
    said = [
        Document(**{**_say(f"e{number}", f"Quay {number} is painted"), "session": "one"})  # type: ignore[arg-type]  # spelled by the tests
        for number in range(20)
    ]
    kept = [
        _keep(
            f"obs-{number}",
            f"Painted: quay {number}",
            f"e{number % 20}",
            superseded_by=replaced if number == 7 else "",
        )
        for number in range(100)
    ]
    kept.append(_keep("obs-new", "Quay 7 stays bare", "", session="two"))
    with TextIndex.building(tmp_path / "index", FakeClock()) as fresh:
        fresh.put([*said, *kept])
    reading = TextIndex.open(tmp_path / "index", FakeClock()).reading()
    evidence = gather(reading, parse("quay painted"), Filters())
    ranked = rank(evidence, Vantage(cues=cues("quay painted", has_span=False)))
    counted = CountedReading(reading)

    found = put_replaced_behind(
        ranked,
        Grounds(
            evidence=evidence,
            reading=cast("Reading", counted),
            filters=Filters(),
            asked=frozenset({"quay", "paint"}),
            read=lambda each: reading.hit(each.candidate.place, 0.0).passage,
        ),
        60,
    )

    assert set(found.by.values()) == ({"obs-new"} if replaced else set())
    assert counted.opened <= opened_max
