"""Questions on a project of 100,000 events: answered, and how fast.

The store is kept in `.bench/` between runs. It tells the sample over and over, so the questions
that the sample answers are answered by its newest weeks, and every text has a hundred copies.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

from agentx.kernel.clock import Millis, from_iso
from agentx.memory.found import SearchRequest
from agentx.memory.local import LocalMemory
from agentx.project.project import open_project
from agentx.wiring.memory import open_store
from tests.bench.row import Row
from tests.support.asking import FIRST_ROWS, MONDAY, QUESTIONS, SETTLED_QUESTIONS
from tests.support.history import repeated_sample
from tests.support.remembering import environment_in, remember

KEPT = Path(".bench")
EVENTS = 100_000
RUNS = 5
ANSWER_MS_MAX = 150
# Of the whole history: these open the most.
LONG = ("what did Codex do this year?", "what did we decide last year?", "5 November", "in 2025")


def run(size: str) -> list[Row]:
    """Measure; the size is always the same."""
    del size
    root = (KEPT / f"questions-{EVENTS}").absolute()
    folder = root / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    project = open_project(folder, environment_in(root))
    if not (root / "built").exists():
        remember(project, repeated_sample(EVENTS))
        (root / "built").touch()
    with open_store(project) as memory:
        answered = 0
        every = (*QUESTIONS, *SETTLED_QUESTIONS)
        for asked in every:
            is_answered = asked.is_answered(memory.search(asked.request))
            answered += is_answered
            if not is_answered:
                print(f"  not answered: {asked.text}")
        times = [_median_ms(memory, asked.request) for asked in every]
        now = Millis(from_iso(MONDAY))
        long = [_median_ms(memory, SearchRequest(query=text, now_ms=now)) for text in LONG]
    share = 100 * answered / len(every)
    return [
        Row(f"questions in {FIRST_ROWS} rows, {EVENTS:,} events", share, "%", at_least=100),
        Row(f"question, slowest, {EVENTS:,} events", max(times), "ms", ANSWER_MS_MAX),
        Row("question of a year, slowest", max(long), "ms", at_most=2 * ANSWER_MS_MAX),
    ]


def _median_ms(memory: LocalMemory, request: SearchRequest) -> float:
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        memory.search(request)
        times.append((time.perf_counter() - began) * 1000)
    return median(times)
