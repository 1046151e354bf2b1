"""`make bench-recall DATA=...`: recall quality, latency and size, beside plain yardsticks.

Each corpus is one project of the product: its turns go through the product's own ingest, its
views are built, and each question is asked as `agentx search` asks it. Plain BM25 runs beside
it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.recall.contestants import Contestant, PlainBm25, Product, Ranking
from tests.bench.recall.data import Question, corpora, questions, sets_in
from tests.bench.recall.scoring import OVERALL, printed, table

OURS = "AgentX"
QUERY_MS_MAX = 25.0
# What the default, model-free install must reach, in per cent.
MUST = {
    "locomo": (("turns", "recall@10", 74), ("turns", "ndcg@10", 55), ("sessions", "recall@5", 88)),
    "longmemeval": (("turns", "recall@5", 80), ("sessions", "all@5", 91)),
    "coding-work": (("turns", "recall@5", 65), ("turns", "ndcg@10", 57)),
    "coding-chats": (("sessions", "recall@5", 93),),
}


@dataclass
class Run:
    """What one contestant did with one set."""

    rankings: dict[str, Ranking] = field(default_factory=dict)
    query_ms: list[float] = field(default_factory=list)
    query_cpu_ms: list[float] = field(default_factory=list)
    ingest_s: float = 0.0
    size_bytes: int = 0
    turns: int = 0

    def percentile(self, share: float) -> float:
        """Return a percentile of the query times."""
        return _percentile(self.query_ms, share)

    def cpu_percentile(self, share: float) -> float:
        """Return the same of the processor's time: what a quiet machine would show."""
        return _percentile(self.query_cpu_ms, share)


def _percentile(times: list[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def run(contestant: Contestant, data: Path, name: str) -> Run:
    """Let a contestant take a set in, corpus by corpus, and answer."""
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in questions(data, name):
        asked[question.corpus].append(question)
    done = Run()
    for corpus in corpora(data, name):
        # Outside of any repository: the folder itself is the project, and nothing of it is kept.
        with tempfile.TemporaryDirectory(prefix="ax-recall-") as folder:
            began = time.perf_counter()
            contestant.ingest(corpus, Path(folder))
            done.ingest_s += time.perf_counter() - began
            done.size_bytes += contestant.size_bytes()
            done.turns += len(corpus.turns)
            for question in asked[corpus.name]:
                began, worked = time.perf_counter(), time.thread_time()
                done.rankings[question.question_id] = contestant.ask(question)
                done.query_cpu_ms.append((time.thread_time() - worked) * 1000)
                done.query_ms.append((time.perf_counter() - began) * 1000)
            contestant.close()
    return done


def report(name: str, label: str, done: Run, asked: list[Question]) -> dict[tuple[str, str], float]:
    """Print the tables of one run; return the overall measures."""
    print(
        f"\n{name}, {label}: index {done.ingest_s:.1f} s for {done.turns} turns, "
        f"{done.size_bytes / 1e6:.1f} MB; query p50 {done.percentile(0.5):.1f} ms, "
        f"p95 {done.percentile(0.95):.1f} ms ({done.cpu_percentile(0.95):.1f} ms of processor)"
    )
    overall: dict[tuple[str, str], float] = {}
    for kind in ("turns", "sessions"):
        rankings = {
            key: each.turns if kind == "turns" else each.sessions
            for key, each in done.rankings.items()
        }
        scored = table(kind, asked, rankings)
        print(printed(kind, scored))
        for key, value in scored.get(OVERALL, (0, {}))[1].items():
            overall[kind, key] = 100 * value
    return overall


def main() -> int:
    """Score every set; leave with 1 when something that must be reached is not."""
    parser = argparse.ArgumentParser(prog="make bench-recall")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the sets")
    parser.add_argument("--set", action="append", help="only this set")
    parser.add_argument("--predictions", type=Path, help="write the product's rankings here")
    given = parser.parse_args()
    names = given.set or sets_in(given.data)
    if not names:
        print(f"no sets in {given.data}", file=sys.stderr)
        return 2
    missed = sum([_scored(given, name) for name in names])
    return 1 if missed else 0


def _scored(given: argparse.Namespace, name: str) -> int:
    """Let everybody have a go at one set; return how much of what must be reached was missed."""
    asked = questions(given.data, name)
    columns: dict[str, tuple[Run, dict[tuple[str, str], float]]] = {}
    entrants: list[tuple[str, Contestant]] = [("plain BM25", PlainBm25()), (OURS, Product())]
    for label, contestant in entrants:
        done = run(contestant, given.data, name)
        columns[label] = done, report(name, label, done, asked)
    ours, reached = columns[OURS]
    if given.predictions is not None:
        _write(given.predictions / f"{name}.predictions.jsonl", ours)
    print(f"\n{name:<28}" + "".join(f"{label:>15}" for label in columns) + f"{'must':>9}")
    missed = 0
    for kind, key, must in MUST.get(name, ()):
        values = "".join(f"{measured[kind, key]:>15.1f}" for _, measured in columns.values())
        print(f"  {f'{kind} {key}':<26}{values}{f'>= {must}':>9}")
        missed += round(reached[kind, key], 1) < must
    values = "".join(f"{each.percentile(0.95):>15.1f}" for each, _ in columns.values())
    print(f"  {'query p95, ms':<26}{values}{f'<= {QUERY_MS_MAX:g}':>9}")
    return missed + (ours.percentile(0.95) > QUERY_MS_MAX)


def _write(path: Path, done: Run) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as lines:
        for key, ranking in done.rankings.items():
            row = {"id": key, "turns": ranking.turns, "sessions": ranking.sessions}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
