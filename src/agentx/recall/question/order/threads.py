"""What a question came to stands before its thread, where both were found.

The thread repeats the words of the question, so it matches better; whoever asks wants the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agentx.recall.question.likeness import HitGroup

_ABOVE = 1.001


def lead_with_outcomes(found: Sequence[HitGroup]) -> tuple[HitGroup, ...]:
    """Return hits, each kept decision before the thread of the question that it settles."""
    threads = {
        f"[{each.hit.doc_id}]": each for each in found if each.hit.doc_type == "clarification"
    }
    if not threads:
        return tuple(found)
    lifted = (_lift(each, threads) for each in found)
    return tuple(sorted(lifted, key=lambda each: -each.hit.score))


def _lift(group: HitGroup, threads: Mapping[str, HitGroup]) -> HitGroup:
    """Return a hit; a decision above the thread that it names at its end."""
    hit, passage = group.hit, group.hit.passage.rstrip()
    if hit.doc_type != "observation":
        return group
    named = (thread.hit.score for end, thread in threads.items() if passage.endswith(end))
    above = next(named, 0.0) * _ABOVE
    return replace(group, hit=replace(hit, score=above)) if above > hit.score else group
