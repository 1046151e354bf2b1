"""Goal: a backup brings everything back but what was forgotten, which nobody can open in it.

Method: a golden house, the job run through the real command, the store thrown away, the backup read
back; then the same after forgetting, and with damaged copies of the keys.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.golden.story import Town
from tests.support.damage import DATA, STORE, flip, prepare

ASKED = (
    ("events", "--limit", "1000", "--full"),
    ("sessions",),
    ("memory", "list", "--limit", "100"),
    ("clarify", "--issue", "1"),
    ("issue", "list"),
    ("run", "show"),
    ("ltm", "patterns"),
)
SECRET = "SQLite locks under five writers"


@pytest.fixture
def town(tmp_path: Path) -> Town:
    """Lend a house with a backup of today."""
    made = prepare(tmp_path / "house")
    made.agentx("sync")
    made.agentx("scheduler", "run", "backup")
    return made


def backup_of(town: Town) -> Path:
    """Return the one backup there is."""
    (path,) = (town.root / DATA / "kept" / "golden-shop").glob("*.agentx")
    return path


def answers(town: Town) -> list[str]:
    """Return what is said; how often something was recalled is not kept in a backup."""
    found = [town.json(*asked) for asked in ASKED]
    for each in found[2]["observations"]:
        each.pop("recall_count", None)
    return [json.dumps(each) for each in found]


def test_a_backup_brings_back_every_fact_and_holds_no_word_in_the_clear(town: Town) -> None:
    said = answers(town)
    raw = backup_of(town).read_bytes()
    assert SECRET.encode() not in raw
    assert backup_of(town).stat().st_mode & 0o777 == 0o600
    shutil.rmtree(town.root / STORE)
    for folder in (".agentx/memory", ".agentx/state", ".agent-memory"):
        shutil.rmtree(town.project / folder)

    town.agentx("restore", str(backup_of(town)), "--yes")

    assert answers(town) == said


def test_what_was_forgotten_after_a_backup_stays_forgotten(town: Town) -> None:
    events = town.json("events", "--limit", "1000", "--full")["events"]
    (session,) = {each["session_id"] for each in events if SECRET in each["text"]}
    copies = [path.read_bytes() for path in (town.root / DATA / "keys" / "golden-shop").iterdir()]
    assert len(copies) == 2
    assert copies[0] == copies[1]

    town.agentx("forget", "--session", session, "--json")

    now = [path.read_bytes() for path in (town.root / DATA / "keys" / "golden-shop").iterdir()]
    assert now[0] == now[1]
    assert len(now[0]) < len(copies[0])
    remembered = answers(town)
    tombstones = town.root / DATA / "tombstones" / "golden-shop.jsonl"
    assert SECRET not in tombstones.read_text(encoding="utf-8")
    tombstones.unlink()  # even then: the keys are gone

    town.agentx("restore", str(backup_of(town)), "--yes")

    for asked in (*ASKED, ("recall",), ("search", "Postgres")):
        assert SECRET not in town.agentx(*asked, "--json").stdout
    assert answers(town)[0] == remembered[0]


def test_a_damaged_copy_of_the_keys_is_told_and_mended_from_the_other(town: Town) -> None:
    one, other = sorted((town.root / DATA / "keys" / "golden-shop").iterdir())
    whole = one.read_bytes()
    damages: list[Callable[[], None]] = [lambda: flip(one), one.unlink, lambda: flip(other)]
    for damage in damages:
        damage()
        told = town.json("doctor", expect=4)["checks"]
        assert [each for each in told if each["name"] == "keys"]
        town.agentx("doctor", "--fix", "--json", expect=None)
        assert one.read_bytes() == other.read_bytes() == whole


def test_keys_that_a_log_has_lost_come_from_the_copies(town: Town) -> None:
    said = town.json(*ASKED[0])
    for table in (town.root / STORE / "db").glob("*.sst"):
        if b"kev:" in table.read_bytes():
            table.unlink()

    town.agentx("doctor", "--fix", "--yes", "--json", expect=None)

    assert town.json(*ASKED[0]) == said


def test_old_backups_go_and_the_newest_stays(town: Town) -> None:
    folder = town.root / DATA / "kept" / "golden-shop"
    for day in ("2026-11-01", "2026-11-15"):
        shutil.copy(backup_of(town), folder.parent / f"{day}.agentx")
    for path in folder.parent.glob("*.agentx"):
        path.rename(folder / path.name)

    town.agentx("scheduler", "run", "backup")
    assert [path.stem for path in sorted(folder.iterdir())] == ["2026-11-15", "2026-11-18"]

    town.agentx("scheduler", "run", "backup", env={"AGENTX_BACKUP_KEEP_DAYS": "0"})
    assert len(list(folder.iterdir())) == 2
