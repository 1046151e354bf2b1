"""Goal: no text makes an adapter or the reading of prose slow: twice of it takes twice as long.

Method: openings that are never closed, runs of stops and marks, at two lengths. Times are of this
process alone, and a bound is a ratio: what grows with the square is far above it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from agentx.adapters.claude_code.prompts import hear, is_heard
from agentx.prose.keyphrases import keyphrases, terms
from agentx.prose.sentences import sentences

SHORT, TIMES = 30_000, 8
QUICK_S = 0.05  # too little to tell anything by
RUNS = (
    *("<command-name>", "<command-message>", "<system-reminder>", "<goal ", "<bash-stdout>"),
    *("</goal><system-reminder>", "<bash-input>", "!", "?!.", "\u2026", "so ", "**a ", "`", "]("),
)


def measure(work: Callable[[str], object], text: str) -> float:
    best = 60.0
    for _ in range(2):
        began = time.process_time()
        work(text)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    "work", [hear, is_heard, sentences, terms, lambda text: keyphrases([text[:1_000]])]
)
def test_a_longer_text_takes_longer_in_proportion(work: Callable[[str], object], run: str) -> None:
    text = run * (SHORT * TIMES // len(run))
    long = measure(work, text)

    assert long < QUICK_S or long < 4 * TIMES * measure(work, text[:SHORT])


def test_a_page_of_stops_without_a_space_is_read_at_once() -> None:
    assert measure(sentences, "!" * 8_000) < QUICK_S * 4
