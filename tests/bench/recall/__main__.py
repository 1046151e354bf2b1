"""`make bench-recall DATA=...`: recall quality, latency and size, the product beside plain BM25."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.recall.contestants import Contestant, PlainBm25, Product, Ranking
from tests.bench.recall.data import Question, corpora, questions, sets_in
from tests.bench.recall.scoring import OVERALL, printed, table

KEPT = Path(".bench") / "recall"
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
    ingest_s: float = 0.0
    size_bytes: int = 0
    turns: int = 0

    def percentile(self, share: float) -> float:
        """Return a percentile of the query times."""
        ordered = sorted(self.query_ms)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def run(contestant: Contestant, data: Path, name: str) -> Run:
    """Let a contestant take a set in, corpus by corpus, and answer."""
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in questions(data, name):
        asked[question.corpus].append(question)
    done = Run()
    folder = KEPT / type(contestant).__name__ / name
    for corpus in corpora(data, name):
        shutil.rmtree(folder, ignore_errors=True)
        began = time.perf_counter()
        contestant.ingest(corpus, folder)
        done.ingest_s += time.perf_counter() - began
        done.size_bytes += contestant.size_bytes()
        done.turns += len(corpus.turns)
        for question in asked[corpus.name]:
            began = time.perf_counter()
            done.rankings[question.question_id] = contestant.ask(question)
            done.query_ms.append((time.perf_counter() - began) * 1000)
    shutil.rmtree(folder, ignore_errors=True)
    return done


def report(name: str, label: str, done: Run, asked: list[Question]) -> dict[tuple[str, str], float]:
    """Print the tables of one run; return the overall measures."""
    print(
        f"\n{name}, {label}: index {done.ingest_s:.1f} s for {done.turns} turns, "
        f"{done.size_bytes / 1e6:.1f} MB; query p50 {done.percentile(0.5):.1f} ms, "
        f"p95 {done.percentile(0.95):.1f} ms"
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
    missed = 0
    summary = []
    for name in names:
        asked = questions(given.data, name)
        plain = report(name, "plain BM25", run(PlainBm25(), given.data, name), asked)
        done = run(Product(), given.data, name)
        ours = report(name, "AgentX", done, asked)
        if given.predictions is not None:
            _write(given.predictions / f"{name}.predictions.jsonl", done)
        for kind, key, must in MUST.get(name, ()):
            value = ours[kind, key]
            missed += round(value, 1) < must
            summary.append((name, f"{kind} {key}", plain[kind, key], value, f">= {must}"))
        p95 = done.percentile(0.95)
        missed += p95 > QUERY_MS_MAX
        summary.append((name, "query p95, ms", 0.0, p95, f"<= {QUERY_MS_MAX:g}"))
    print(f"\n{'set':<14}{'measure':<22}{'plain BM25':>11}{'AgentX':>9}{'must':>9}")
    for name, what, plain_value, value, must_be in summary:
        print(f"{name:<14}{what:<22}{plain_value:>11.1f}{value:>9.1f}{must_be:>9}")
    return 1 if missed else 0


def _write(path: Path, done: Run) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as lines:
        for key, ranking in done.rankings.items():
            row = {"id": key, "turns": ranking.turns, "sessions": ranking.sessions}
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
