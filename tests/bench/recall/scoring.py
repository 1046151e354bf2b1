"""Recall and NDCG of ranked ids against the gold, per category and overall.

recall@k is the share of the gold among the first k; any@k and all@k are the questions with
at least one, or every, gold item there; ndcg@10 is binary.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from tests.bench.recall.data import Question

Measures = dict[str, float]
OVERALL = "overall"


def measures(ranked: Iterable[str], gold: frozenset[str]) -> Measures:
    """Score one ranking."""
    order = list(dict.fromkeys(ranked))
    found: Measures = {}
    for k in (5, 10, 20):
        hits = len(gold.intersection(order[:k]))
        found[f"recall@{k}"] = hits / len(gold)
        if k < 20:
            found[f"any@{k}"] = float(hits > 0)
            found[f"all@{k}"] = float(hits == len(gold))
    gain = sum(1 / math.log2(at + 2) for at, each in enumerate(order[:10]) if each in gold)
    best = sum(1 / math.log2(at + 2) for at in range(min(10, len(gold))))
    found["ndcg@10"] = gain / best
    return found


def table(
    kind: str, asked: Sequence[Question], rankings: Mapping[str, Sequence[str]]
) -> dict[str, tuple[int, Measures]]:
    """Return the number of questions and the mean measures of each category."""
    rows: dict[str, list[Measures]] = defaultdict(list)
    for question in asked:
        gold = question.gold_turns if kind == "turns" else question.gold_sessions
        if not gold:
            continue
        row = measures(rankings.get(question.question_id, ()), gold)
        rows[question.category].append(row)
        if question.is_answerable:
            rows[OVERALL].append(row)
    return {
        name: (len(each), {key: sum(row[key] for row in each) / len(each) for key in each[0]})
        for name, each in sorted(rows.items(), key=lambda item: (item[0] == OVERALL, item[0]))
    }


def printed(kind: str, scored: Mapping[str, tuple[int, Measures]]) -> str:
    """Return a table as text, in per cent."""
    if not scored:
        return ""
    keys = list(next(iter(scored.values()))[1])
    lines = [f"{kind:28} {'n':>5} " + " ".join(f"{key:>9}" for key in keys)]
    for name, (count, row) in scored.items():
        values = " ".join(f"{100 * row[key]:9.1f}" for key in keys)
        lines.append(f"  {name:26} {count:5d} {values}")
    return "\n".join(lines)
