"""Search: short documents, filters on and off; the index is kept in `.bench/` between runs."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC
from functools import partial
from pathlib import Path

from agentx.host.system import SystemClock
from agentx.kernel.clock import DAY_MS, Clock, Millis
from agentx.kernel.errors import IndexUnavailable
from agentx.recall.question.plan import Question, answer
from agentx.search.document import Document, Filters
from agentx.search.query import parse
from agentx.search.text.index import TextIndex
from agentx.search.text.scales import chapters
from tests.bench.row import Row

KEPT = Path(".bench")
SIZES = {"small": 100_000, "full": 1_000_000}
FIRST_MS = 1_735_689_600_000  # 2025-01-01
STEP_MS = 20_000
SESSION = 200
QUERIES = 200
ROLES = ("user", "assistant", "tool", "assistant")


class Words:
    """Made-up words, as unevenly frequent as words are; the same in every run."""

    def __init__(self, count: int = 30_000) -> None:
        self._chance = random.Random(7)
        self._words = [self._word() for _ in range(count)]
        self._weights = list(itertools.accumulate(1 / (rank + 10) for rank in range(count)))

    def some(self, least: int, most: int) -> str:
        """Return a few words."""
        count = self._chance.randint(least, most)
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=count))

    def _word(self) -> str:
        syllables = self._chance.randint(2, 4)
        return "".join(
            self._chance.choice("bcdfghjklmnprstvz") + self._chance.choice("aeiou")
            for _ in range(syllables)
        )


def sessions(count: int, words: Words) -> Iterator[list[Document]]:
    """Yield sessions of short events."""
    for start in range(0, count, SESSION):
        yield [
            Document(
                doc_type="event" if number % 10 else "grip",
                doc_id=f"e{number}",
                text=words.some(8, 30),
                timestamp_ms=FIRST_MS + number * STEP_MS,
                project="shop",
                session=f"s{start // SESSION}",
                harness=("claude-code", "codex")[start // SESSION % 2],
                role=ROLES[number % 4],
                issue=str(number // 1_000 % 50),
            )
            for number in range(start, min(start + SESSION, count))
        ]


def run(size: str) -> list[Row]:
    """Measure."""
    count = SIZES[size]
    folder = KEPT / f"search-{count}"
    clock = SystemClock()
    words = Words()
    rows = []
    if not _is_kept(folder, clock):
        began = time.perf_counter()
        with TextIndex.building(folder, clock) as fresh:
            for said in sessions(count, words):
                fresh.put(said)
                fresh.put_chapters(chapters(said[0].session, said))
        rate = count / (time.perf_counter() - began)
        rows.append(Row(f"index {count:,} short documents", rate, "docs/s"))
    index = TextIndex.open(folder, clock)
    half = Filters(
        doc_types=("event",),
        harnesses=("codex",),
        roles=("user", "assistant"),
        projects=("shop",),
        since_ms=FIRST_MS + count * STEP_MS // 4,
        until_ms=FIRST_MS + count * STEP_MS * 3 // 4,
    )
    hour = Filters(since_ms=FIRST_MS + (count - SESSION) * STEP_MS)
    for name, filters in (
        ("no filter", Filters()),
        ("every filter", half),
        ("one session", Filters(sessions=("s3",))),
        ("the last hour", hour),
    ):
        p95 = _p95(partial(_ask, index, filters), words)
        rows.append(Row(f"search p95, {count:,}, {name}", p95, "ms", at_most=10))
    p95 = _p95(partial(_recall, index), words)
    rows.append(Row(f"recall p95, {count:,}, one project", p95, "ms", at_most=150))
    mbytes = index.status().bytes_on_disk / 1e6
    rows.append(Row(f"size of {count:,} short documents", mbytes, "MB"))
    index.close()
    return rows


def _is_kept(folder: Path, clock: Clock) -> bool:
    try:
        TextIndex.open(folder, clock).close()
    except IndexUnavailable:
        return False
    return True


def _ask(index: TextIndex, filters: Filters, typed: str) -> object:
    return index.search(parse(typed), filters, 10)


def _recall(index: TextIndex, typed: str) -> object:
    """Ask as recall does, for what is recalled at the start of a session."""
    return answer(
        index,
        Question(
            text=f"what did we decide about {typed}?",
            zone=UTC,
            now_ms=Millis(FIRST_MS + 400 * DAY_MS),
            filters=Filters(doc_types=("event",), projects=("shop",)),
        ),
    )


def _p95(ask: Callable[[str], object], words: Words) -> float:
    times = []
    for _ in range(QUERIES):
        typed = words.some(1, 6)
        began = time.perf_counter()
        ask(typed)
        times.append((time.perf_counter() - began) * 1000)
    return sorted(times)[int(QUERIES * 0.95)]
