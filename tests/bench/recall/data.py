"""The question sets, as they lie in the data folder.

NAME.corpora.jsonl.gz     {"corpus", "turns": [{"id", "session", "time", "role", "speaker", "text"}]}
NAME.questions.jsonl.gz   {"id", "corpus", "category", "question", "asked_at",
                           "gold_turns": [], "gold_sessions": []}
"""  # noqa: E501  the format reads better on one line

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentx.kernel.clock import Millis, from_iso


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said."""

    turn_id: str
    session: str
    at_ms: Millis
    role: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """What one memory holds."""

    name: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a corpus, and where the answer lies."""

    question_id: str
    corpus: str
    category: str
    text: str
    asked_ms: Millis | None
    gold_turns: frozenset[str]
    gold_sessions: frozenset[str]

    @property
    def is_answerable(self) -> bool:
        """Tell whether it counts: questions that should be refused are listed, not counted."""
        return self.category != "adversarial" and "abstention" not in self.category


def sets_in(folder: Path) -> list[str]:
    """Return the names of the sets in a folder."""
    ending = ".questions.jsonl.gz"
    return sorted(path.name.removesuffix(ending) for path in folder.glob(f"*{ending}"))


def corpora(folder: Path, name: str) -> Iterator[Corpus]:
    """Yield the corpora of a set, one at a time: they are large."""
    for line in _lines(folder / f"{name}.corpora.jsonl.gz"):
        turns = tuple(
            Turn(
                turn["id"],
                turn["session"],
                from_iso(turn["time"]),
                turn["role"],
                turn["speaker"],
                turn["text"],
            )
            for turn in line["turns"]
        )
        yield Corpus(line["corpus"], turns)


def questions(folder: Path, name: str) -> list[Question]:
    """Return the questions of a set."""
    return [
        Question(
            line["id"],
            line["corpus"],
            line["category"],
            line["question"],
            from_iso(line["asked_at"]) if line["asked_at"] else None,
            frozenset(line["gold_turns"]),
            frozenset(line["gold_sessions"]),
        )
        for line in _lines(folder / f"{name}.questions.jsonl.gz")
    ]


def _lines(path: Path) -> Iterator[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
