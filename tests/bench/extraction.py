"""How much of what a session teaches is extracted, and how much else: against labels by hand.

The sessions were written for this project in the formats of three agent CLIs, and labelled
before any rule was tuned. `tests/support/labelled.py` says when a label is met.

    python -m tests.bench.extraction        what was taken, missed and taken in error
"""

from __future__ import annotations

from time import perf_counter

from agentx.observations.extract import extract
from agentx.prose import keyphrases
from agentx.views.sessions.turns import turns_of
from tests.bench.row import Row
from tests.support.labelled import Score, labelled_sessions, score

PRECISION_MIN = 0.78
RECALL_MIN = 0.7
_PASSES = 5


def precision(scores: list[Score]) -> float:
    """Return how much of what was taken is worth taking."""
    right = sum(len(one.right) for one in scores)
    return right / max(right + sum(len(one.wrong) for one in scores), 1)


def recall(scores: list[Score]) -> float:
    """Return how much of what had to be taken was."""
    met = sum(not label.optional for one in scores for label in one.met)
    return met / max(sum(one.needed for one in scores), 1)


def scored() -> list[Score]:
    """Extract every labelled session."""
    return [score(one, extract(turns_of(one.events))) for one in labelled_sessions()]


def run(_size: str) -> list[Row]:
    """Measure quality and speed."""
    scores = scored()
    turns = [turns_of(one.events) for one in labelled_sessions()]
    took_s = 0.0
    for _ in range(_PASSES):
        for known in (keyphrases._terms_of_line, keyphrases._names_of_line):
            known.cache_clear()  # a session is told once: nobody has read its lines before
        begun = perf_counter()
        for one in turns:
            extract(one)
        took_s += perf_counter() - begun
    speed = _PASSES * sum(len(one) for one in turns) / took_s
    return [
        Row("extraction, precision", precision(scores), "", at_least=PRECISION_MIN),
        Row("extraction, recall", recall(scores), "", at_least=RECALL_MIN),
        Row("extraction", speed, "events/s"),
    ]


def main() -> None:
    """Print what was taken from each session, what was missed and what was taken in error."""
    for session, found in zip(labelled_sessions(), scored(), strict=True):
        print(f"\n== {session.name}: P {precision([found]):.2f} R {recall([found]):.2f}")
        for label in found.missed:
            sign = "(optional) " if label.optional else ""
            print(f"  missed {sign}{label.category} {', '.join(label.words)}")
        for name, taken in (("right", found.right), ("WRONG", found.wrong)):
            for one in taken:
                print(f"  {name} {one.category}: {one.content}".replace("\n", "\n      "))
    print(f"\nprecision {precision(scored()):.2f}, recall {recall(scored()):.2f}")


if __name__ == "__main__":
    main()
