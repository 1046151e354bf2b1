"""Goal: what rested on a choice falls with it, and what only names the same thing stands.

Method: a line that takes something back, and a memory of the session in which that was chosen.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.clock import Millis
from agentx.observations.model import Category, SearchFilters
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.validity.given_up import list_given_up
from agentx.observations.validity.marking import mark_superseded
from agentx.observations.validity.resting import rests_on
from tests.support.observations import observation
from tests.support.time_and_chance import CountingEntropy, FakeClock

FACT, CHANGE, DECISION = Category.KEY_FACT, Category.CODE_CHANGE, Category.DECISION


def _rests(fact: str, by: str) -> bool:
    return rests_on(list_given_up(by, CHANGE), fact, FACT, by)


@pytest.mark.parametrize(
    ("fact", "by"),
    [
        ("Mirrors run on rclone-box.", "Mirrors: one NFS share instead of rclone-box (commit 1a)"),
        (
            "I recommend rclone-box because it is small.",
            "A share instead of rclone-box (commit 1)",
        ),
        ("The shop sits behind Pound now.", "Shop: HAProxy instead of Pound (commit 1a2b3c4)"),
        ("Das Lager l\u00e4uft auf Firebird.", "Lager auf MariaDB statt Firebird (commit 1a2b3c4)"),
        (
            "Ich empfehle Firebird, weil es da ist.",
            "Lager: MariaDB statt Firebird (commit 1a2b3c4)",
        ),
        (
            "Les re\u00e7us passent par Gotenberg maintenant.",
            "Re\u00e7us : Typst au lieu de Gotenberg (commit 1a2b3c4)",
        ),
        ("Je propose Gotenberg.", "Re\u00e7us : Typst au lieu de Gotenberg (commit 1a2b3c4)"),
        (
            "El almac\u00e9n est\u00e1 en Firebird.",
            "Almac\u00e9n: MariaDB en lugar de Firebird (commit 1a2b3c4)",
        ),
        (
            "Three disks, one per rack. Options: one disk, or rclone-box. I suggest rclone-box.",
            "Mirrors: one NFS share instead of rclone-box (commit 1a)",
        ),
    ],
)
def test_what_says_that_something_is_where_it_is_no_more_rested_on_it(fact: str, by: str) -> None:
    assert _rests(fact, by)


MIRRORS = "Mirrors: one NFS share instead of rclone-box (commit 1a2b3c4)"
LAGER = "Lager: MariaDB statt Firebird (commit 1a2b3c4)"
SHOP = "Shop: HAProxy instead of Pound (commit 1a2b3c4)"


@pytest.mark.parametrize(
    ("fact", "by"),
    [
        ("The build farm runs on rclone-box.", MIRRORS),
        ("rclone-box reboots once a night.", MIRRORS),
        ("Mirrors run on rclone-box-two.", MIRRORS),
        ("Mirrors write to rclone-box's console only.", MIRRORS),
        ("Mirrors were moved away from rclone-box.", MIRRORS),
        ("Do mirrors run on rclone-box?", MIRRORS),
        ("Mirrors do not run on rclone-box.", MIRRORS),
        ("The user said: the mirrors run on rclone-box", MIRRORS),
        ("Left open: the mirrors run on rclone-box without a backup.", MIRRORS),
        ("Mirrors are slow. The farm runs on rclone-box.", MIRRORS),
        ("The bill of rclone-box comes on the first.", MIRRORS),
        ("Die Kasse l\u00e4uft auf Firebird.", LAGER),
        ("Firebird kennt keine Schemas.", LAGER),
        ("Das Lager l\u00e4uft auf Firebird Embedded.", LAGER),
        ("Das Lager l\u00e4uft nicht auf Firebird.", LAGER),
        ("The admin sits behind Pound now.", SHOP),
        ("Pound logs to syslog.", SHOP),
        ("The shop sits behind Pound Cake now.", SHOP),
        ("The shop answers in 40 ms, with Pound in 60.", SHOP),
        ("I recommend a Pound license for the office.", SHOP),
        ("Prices come from the feed.", "Sort by name instead of feed order (commit 1a2b3c4)"),
        ("The queue is in a table with dates as text.", "Sort by name instead of date (commit 1a)"),
    ],
)
def test_what_only_names_what_was_left_stands(fact: str, by: str) -> None:
    assert not _rests(fact, by)


def _list_standing(folder: Path, *told: tuple[str, Category, str]) -> list[str]:
    store = JsonObservationStore(
        folder, clock=FakeClock(), entropy=CountingEntropy(), view_folder=folder / "words"
    )
    for at, (session, kind, text) in enumerate(told):
        one = observation(text, category=kind, at_ms=Millis(1_000_000 * (at + 1)))
        kept = replace(one, summary=text, session_id=session)
        store.store([kept])
        mark_superseded(store, [kept])
    standing = store.search_by_filters(SearchFilters(superseded=False))
    store.close()
    return sorted(row.summary for row in standing)


def test_what_rested_on_a_choice_falls_whether_it_was_decided_or_only_committed(
    tmp_path: Path,
) -> None:
    farm = "The build farm runs on rclone-box."
    first = [
        ("a", DECISION, "The user chose: ok rclone-box then; The agent: It is the smallest."),
        ("a", CHANGE, "Mirrors: rclone-box instead of three disks (commit 1a2b3c4)"),
        ("a", FACT, "Mirrors run on rclone-box."),
        ("a", FACT, farm),
    ]
    lager = [
        ("b", CHANGE, "Lager auf Firebird (commit 2b3c4d5)"),
        ("b", FACT, "Das Lager l\u00e4uft auf Firebird."),
        ("d", FACT, "Die Kasse l\u00e4uft auf Firebird."),
    ]
    now = "Lager auf MariaDB statt Firebird (commit 3c4d5e6)"

    assert _list_standing(
        tmp_path, *first, *lager, ("c", CHANGE, MIRRORS), ("c", CHANGE, now)
    ) == sorted([farm, "Die Kasse l\u00e4uft auf Firebird.", MIRRORS, now])
