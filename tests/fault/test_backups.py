"""Goal: a backup brings everything back but what was forgotten, which nobody can open in it.

Method: a golden house, the job run through the real command, the store thrown away, the backup read
back; then the same after forgetting, and with damaged copies of the keys.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentx.conversation.model import Grave
from agentx.host.files.parcel import Parcel
from agentx.kernel.ids import EventId
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.wiring.keeping.keyring import Keys, holding_keys, load_keys
from agentx.wiring.keeping.tombstones import bury
from tests.golden.story import Town
from tests.support.damage import DATA, STORE, copy_of, flip, prepare
from tests.support.house import BIN

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


@pytest.fixture(scope="module")
def kept() -> Iterator[Town]:
    """Lend a house with a backup of today, and a copy of it to begin again from."""
    with tempfile.TemporaryDirectory(prefix="agentx-backups-") as folder:
        made = prepare(Path(folder) / "house")
        made.agentx("sync")
        made.agentx("scheduler", "run", "backup")
        shutil.copytree(made.root, Path(folder) / "kept", symlinks=True)
        yield made


@pytest.fixture
def town(kept: Town) -> Town:
    """Lend the house as it was."""
    return copy_of(kept, kept.root.with_name("kept"))


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
    remembered = town.json(*ASKED[0])
    tombstones = town.root / DATA / "tombstones" / "golden-shop.jsonl"
    assert SECRET not in tombstones.read_text(encoding="utf-8")
    tombstones.unlink()  # even then: the keys are gone

    town.agentx("restore", str(backup_of(town)), "--yes")

    for asked in (*ASKED, ("recall",), ("search", "Postgres")):
        assert SECRET not in town.agentx(*asked, "--json").stdout
    assert town.json(*ASKED[0]) == remembered


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


def test_a_backup_never_writes_the_key_back_of_what_is_being_forgotten(town: Town) -> None:
    project = open_project(town.project, read_environment(town.environment))
    event_id = EventId(town.json("events", "--limit", "1")["events"][0]["event_id"])
    name = b"kev:" + event_id.encode()
    assert name in load_keys(project)

    # Its log still has the key, as it has while somebody forgets.
    with ThreadPoolExecutor() as pool:
        with holding_keys(project):
            burying = pool.submit(bury, project, Grave(event_ids=(event_id,)))
            with pytest.raises(TimeoutError):
                burying.result(0.1)
        burying.result(10)
    assert name not in load_keys(project)
    town.agentx("scheduler", "run", "backup")

    assert name not in load_keys(project)


class Killed:
    """A house whose backups and exports are killed at random moments."""

    def __init__(self, town: Town, seed: int) -> None:
        self.town = town
        self.chance = random.Random(seed)
        self.kills = 0
        self.written = 0

    def strike(self, *arguments: str, within_s: float) -> None:
        """Run a command and kill it within a time, should it still run."""
        process = subprocess.Popen(
            [str(BIN / "agentx"), *arguments],
            cwd=self.town.project,
            env=self.town.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(self.chance.uniform(0.1, within_s))
            self.written += process.returncode == 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.kills += 1


@pytest.mark.parametrize(
    "kills", [4, pytest.param(100, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]
)
def test_what_is_killed_leaves_older_files_whole_and_the_next_one_sweeps(
    town: Town, kills: int
) -> None:
    storm = Killed(town, seed=20261115)
    older = backup_of(town)
    # Of the day before: the storm writes that of today, whichever day it is.
    yesterday = datetime.now(tz=UTC).date() - timedelta(days=1)
    older = older.rename(older.with_name(f"{yesterday}.agentx"))
    folder, raw = older.parent, older.read_bytes()
    number = 0
    while storm.kills < kills:
        number += 1
        storm.strike("scheduler", "run", "backup", within_s=0.6)
        storm.strike("export", str(town.root / f"{number}.export"), within_s=0.6)
        assert older.read_bytes() == raw
        for path in (*folder.glob("*.agentx"), *town.root.glob("*.export")):
            assert count_records(path)
            if path != older:
                path.unlink()
    # As a kill in the middle of writing leaves it, whatever the moments were.
    for path in (folder / "2026-11-17.agentx", town.root / "mine.export"):
        path.with_name(f".{path.name}.0123456789abcdef.tmp").write_bytes(b"AGENTX PARCEL 1\n{")
    bystander = town.root / ".mine.export.0123456789abcdee.tmp"
    bystander.write_text("not ours", encoding="utf-8")

    town.agentx("export", str(town.root / "mine.export"))
    town.agentx("scheduler", "run", "backup")

    left = [path for each in (folder, town.root) for path in each.glob(".*.tmp")]
    assert left == [bystander]
    assert count_records(older)
    assert load_keys_of(town)


def count_records(path: Path) -> int:
    """Return how many records a file carries, after reading it to its end."""
    with closing(Parcel(path)) as parcel:
        return sum(1 for _ in parcel.records())


def load_keys_of(town: Town) -> Keys:
    """Return the keys that are kept."""
    return load_keys(open_project(town.project, read_environment(town.environment)))
