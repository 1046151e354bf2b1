"""Goal: at an action only what is worth a line is told, and the file of it stays small and plain.

Method: memories as sessions leave them, and random ones.
"""

from __future__ import annotations

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.observations.model import Category
from agentx.recall.section.learnt import WeighedMemory
from agentx.recall.section.moment import Present
from agentx.recall.telling.bar import bar_of
from agentx.recall.telling.cautions import CAUTIONS_BYTES_MAX, find_cautions, prepare_cautions
from tests.support.observations import observation
from tests.support.time_and_chance import START_MS

NOW = Present(now_ms=START_MS, zone=UTC, is_prepared=True)
STUMBLE = "`rtk make test` failed: error: unrecognized subcommand 'make'; `make test` worked"
CHECK = "`make test` failed (exit 2): TypeError: tide is not a function; Fixed by: src/tide.py"
DEPLOY = "`./deploy.sh --all` failed (exit 1): no lock for berth seven; Cause: two deploys at once"
CUT = "`./deploy.sh --all --in harbour\u2026` failed: no lock for berth seven; Cause: two at once"
UNSOLVED = "`./deploy.sh` failed (exit 1): something went wrong in the harbour today"
DECISION = "We keep berths in berths.toml, because two writers would lock a database."


def keys(text: str, *, said: str = "on", **changes: Any) -> list[tuple[str, str]]:
    category = changes.pop("category", Category.ERROR)
    seen = observation(content=text, category=category, **changes)
    bar = bar_of(said)
    assert bar is not None
    found = find_cautions([WeighedMemory(observation=seen, score=0.5)], NOW, bar)
    return [(one.kind, one.key) for one in found]


def test_a_command_that_does_not_work_here_is_told_before_it_is_run() -> None:
    assert keys(STUMBLE) == [
        ("command", "rtk make test"),
        ("failure", "rtk error: unrecognized subcommand 'make'"),
    ]
    assert ("command", "./deploy.sh --all") in keys(DEPLOY)
    assert ("command-cut", "./deploy.sh --all --in harbour") in keys(CUT)


def test_a_check_is_told_nothing_before_it_is_run_and_what_mended_it_after_it_failed_so() -> None:
    assert keys(CHECK) == [("failure", "make TypeError: tide is not a function")]


def test_an_error_that_nobody_found_a_way_out_of_is_not_told() -> None:
    assert keys(UNSOLVED) == []


def test_a_decision_is_told_at_the_files_that_it_names() -> None:
    files = ("conf/berths.toml", "src/harbour.py")

    assert keys(DECISION, category=Category.DECISION, files=files) == [("file", "conf/berths.toml")]
    assert keys(DECISION, category=Category.DECISION, files=files, said="quiet") == []
    assert keys(DECISION, category=Category.KEY_FACT, files=files) == []
    assert keys(DECISION, category=Category.DECISION, files=tuple("abcd") + files) == []


def test_what_was_replaced_or_holds_elsewhere_is_not_told() -> None:
    assert keys(STUMBLE, superseded_by="obs-2") == []
    bar = bar_of("on")
    assert bar is not None
    elsewhere = WeighedMemory(observation=observation(content=STUMBLE), score=1, mark="on x")
    assert list(find_cautions([elsewhere], NOW, bar)) == []


def test_off_is_no_bar() -> None:
    assert bar_of("off") is None
    assert bar_of("") is None


@pytest.mark.parametrize("said", ["on", "quiet"])
def test_the_file_never_outgrows_its_bound(said: str) -> None:
    bar = bar_of(said)
    assert bar is not None
    many = [
        WeighedMemory(
            observation=observation(
                id=f"obs-{number}",
                content=STUMBLE.replace("rtk make", f"rtk{number} make"),
                category=Category.ERROR,
            ),
            score=0.5,
        )
        for number in range(1_000)
    ]

    made = prepare_cautions(many, NOW, bar)

    assert 0 < len(made.encode()) <= CAUTIONS_BYTES_MAX


@given(st.text(max_size=80), st.text(max_size=80), st.text(min_size=1, max_size=40))
def test_whatever_a_memory_holds_a_row_is_a_row(command: str, error: str, path: str) -> None:
    bar = bar_of("on")
    assert bar is not None
    seen = observation(
        content=f"`{command}` failed: {error}; `ls {path}` worked",
        category=Category.ERROR,
        files=(path,),
    )

    made = prepare_cautions([WeighedMemory(observation=seen, score=1)], NOW, bar)

    assert all(row.count("\t") == 4 for row in made.splitlines() if row.startswith("c"))
    assert all(row.count("\t") == 4 for row in made.split("\n") if row)
    assert "[/agentx:recall]" not in made
