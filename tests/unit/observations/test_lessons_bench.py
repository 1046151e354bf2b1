"""The bench of lessons fails exactly when a figure is worse than it must be."""

from __future__ import annotations

from tests.bench.lessons import COLUMNS, list_worse


def _table(**changes: float) -> str:
    figures = [
        changes.get(name.replace(" %", "").replace(": ", "_"), abs(must) if must else 7)
        for name, must in COLUMNS
    ]
    return "project kept\none 1 2 3\nALL " + " ".join(str(each) for each in figures) + "\n"


def test_figures_that_are_just_good_enough_pass() -> None:
    assert list_worse(_table()) == []


def test_what_is_too_low_and_what_is_too_high_is_named() -> None:
    assert list_worse(_table(useful=54.9, noise=2.1, start_fallen=3.5)) == [
        "useful % is 54.9, at least 55 is good",
        "noise % is 2.1, at most 2 is good",
        "start: fallen % is 3.5, at most 3 is good",
    ]
