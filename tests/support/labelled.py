"""The labelled sessions of `tests/fixtures/extraction`, and how well what is extracted meets them.

A label names a category, the times of the events it rests on, and words that must be told. An
observation meets it when the category is the same, it rests on one of those events, and its
text has all of the words. Each label is met once and each observation counts once, so that a
repetition is an error. The overview of a session is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from agentx.adapters.port import Transcript
from agentx.adapters.registry import ADAPTERS
from agentx.conversation.cleaning import clean
from agentx.conversation.model import Event
from agentx.kernel.capture import Draft, Harness
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category

FOLDER = Path(__file__).parent.parent / "fixtures" / "extraction"
_NOW_MS = Millis(1_800_000_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Something that must be taken, or at least may be."""

    category: Category
    at: frozenset[str]
    words: tuple[str, ...]
    optional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One session, what must be taken from it and what must be left."""

    name: str
    harness: Harness
    events: tuple[Event, ...]
    take: tuple[Label, ...]
    leave: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How what was extracted meets the labels."""

    met: tuple[Label, ...]
    missed: tuple[Label, ...]
    right: tuple[Finding, ...]
    wrong: tuple[Finding, ...]
    forbidden: tuple[Finding, ...]

    @property
    def needed(self) -> int:
        """How many labels had to be met."""
        return sum(not label.optional for label in (*self.met, *self.missed))


@cache
def labelled_sessions() -> tuple[Labelled, ...]:
    """Return every labelled session, read as an import would."""
    return tuple(_session(path) for path in sorted(FOLDER.glob("*.jsonl")) if path.stat().st_size)


def score(session: Labelled, findings: Iterable[Finding]) -> Score:
    """Hold what was extracted against the labels."""
    times = {event.event_id: clock_time(event.timestamp_ms) for event in session.events}
    taken = [one for one in findings if one.category is not Category.COMPACTION_SUMMARY]
    met: list[Label] = []
    right: list[Finding] = []
    for label in sorted(session.take, key=lambda one: one.optional):
        fitting = [one for one in taken if one not in right and _meets(one, label, times)]
        if fitting:
            met.append(label)
            right.append(fitting[0])
    return Score(
        met=tuple(met),
        missed=tuple(one for one in session.take if one not in met),
        right=tuple(right),
        wrong=tuple(one for one in taken if one not in right),
        forbidden=tuple(
            one
            for one in taken
            if any(all(word in one.content for word in words) for words in session.leave)
        ),
    )


def clock_time(at_ms: int) -> str:
    """Return the time of day by which labels name an event."""
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%H:%M:%S")


def _meets(finding: Finding, label: Label, times: dict[EventId, str]) -> bool:
    text = finding.content.casefold()
    if finding.category is not label.category:
        return False
    return any(times[EventId(name)] in label.at for name in finding.event_ids) and all(
        word.casefold() in text for word in label.words
    )


def _session(path: Path) -> Labelled:
    labels = json.loads(path.with_suffix(".labels.json").read_text("utf-8"))
    harness = Harness(labels["harness"])
    transcript = Transcript(
        harness=harness,
        path=path,
        size_bytes=path.stat().st_size,
        modified_ms=_NOW_MS,
        working_directory=labels["directory"],
    )
    drafts = [one for one in ADAPTERS[harness].read(transcript) if isinstance(one, Draft)]
    drafts.sort(key=lambda draft: draft.timestamp_ms)
    return Labelled(
        name=path.stem,
        harness=harness,
        events=tuple(_event(number, draft) for number, draft in enumerate(drafts)),
        take=tuple(
            Label(
                category=Category(label["category"]),
                at=frozenset(label["at"]),
                words=tuple(label["words"]),
                optional=label.get("optional", False),
            )
            for label in labels["take"]
        ),
        leave=tuple(tuple(rule["words"]) for rule in labels["leave"]),
    )


def _event(number: int, draft: Draft) -> Event:
    cleaned = clean(draft, now_ms=_NOW_MS)
    return Event(
        event_id=EventId(f"event-{number:04}"),
        session_id=cleaned.session_id,
        timestamp_ms=cleaned.timestamp_ms,
        event_type=cleaned.event_type,
        role=cleaned.role,
        text=cleaned.text,
        harness=cleaned.harness,
        agent=cleaned.agent,
        project="made-up",
        metadata=cleaned.metadata,
    )
