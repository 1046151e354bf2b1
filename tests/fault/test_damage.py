"""Goal: no damage to a file passes unseen, and mending loses nothing that could still be read.

Method: a golden house holds a file of every format. Each is flipped, cut and deleted in turn: what
the inspection says is asked in process; the log is mended through the real command, and every
answer held against what was said before.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentx.host.crash import CrashPoint
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.keeping.inspection import DamagedPart, inspect_memory
from agentx.wiring.keeping.salvage import salvage_log
from tests.golden.story import Town
from tests.support.crashing import dying_at
from tests.support.damage import DAMAGES, KINDS, STORE, copy_of, delete, prepare, victims
from tests.support.house import House, prompt

# Damage to these changes no answer: RocksDB and its binding write them anew when they open the
# store, Tantivy's list is for its sweeping, and what hooks print is prepared again every day.
HARMLESS = {
    *("options", "identity", "binding's options", "write-ahead log", "index managed"),
    *("digest", "notice", "digest stamp", "index deletions"),
    # Told by other checks, or text that people write as they like.
    *("role", "run manifest", "run page", "index of runs", "lesson page"),
    *("record in the spool", "whose a spool is", "directory of a spool"),
    # A setting that does not parse is told by every command.
    *("project settings", "user settings", "observations in SQLite"),
}
ASKED = (
    ("events", "--limit", "1000", "--full"),
    ("sessions",),
    ("toc", "--depth", "5"),
    ("recall",),
    ("memory", "list", "--limit", "100"),
    ("clarify",),
    ("run", "show"),
    ("ltm", "patterns"),
)


@pytest.fixture(scope="module")
def town() -> Iterator[Town]:
    """Lend a golden house in which everything was taken and every view is up to date."""
    with tempfile.TemporaryDirectory(prefix="agentx-damage-") as folder:
        made = prepare(Path(folder) / "house")
        made.agentx("sync")
        made.agentx("doctor", "--fix", "--yes", "--json", expect=None)
        made.agentx("memory", "add", "--agent", "engineer", "--issue", "1", "The quay is closed.")
        yield made


@pytest.fixture(scope="module")
def kept(town: Town) -> Iterator[Path]:
    """Lend a copy of that house, to begin again from."""
    copy = town.root.with_name("kept")
    shutil.copytree(town.root, copy, symlinks=True)
    yield copy
    shutil.rmtree(copy)


@pytest.fixture(scope="module")
def said(town: Town) -> dict[str, Any]:
    """Return what the house said while it was whole."""
    return answers(town)


def answers(town: Town) -> dict[str, Any]:
    """Return what every command says that reads."""
    return {" ".join(asked): town.json(*asked) for asked in ASKED}


def project_of(town: Town) -> Project:
    """Open the project of the house in this process."""
    return open_project(town.project, read_environment(town.environment))


@pytest.mark.parametrize("damage", ["flip", "truncate"])
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - HARMLESS))
def test_a_file_that_is_not_what_was_written_is_told(town: Town, kind: str, damage: str) -> None:
    for path in victims(town.root, kind)[:2]:
        raw, stat = path.read_bytes(), path.stat()
        DAMAGES[damage](path)
        try:
            found = inspect_memory(project_of(town)).damages
        finally:
            path.write_bytes(raw)
            path.chmod(stat.st_mode)
        is_torn = damage == "truncate" and path.suffix == ".jsonl"  # its writer may have died
        assert found or is_torn, path
    assert inspect_memory(project_of(town), deep=True).damages == ()


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.startswith("index") and kind not in HARMLESS]
)
def test_a_file_of_the_index_that_is_gone_is_told(town: Town, kind: str) -> None:
    path = victims(town.root, kind)[0]
    raw = path.read_bytes()
    path.unlink()
    try:
        assert {each.part for each in inspect_memory(project_of(town)).damages} == {
            DamagedPart.INDEX
        }
    finally:
        path.write_bytes(raw)


def test_a_log_that_is_gone_is_no_empty_memory(town: Town, kept: Path) -> None:
    copy_of(town, kept)
    shutil.rmtree(town.root / STORE / "db")

    for asked in (("events",), ("status",), ("sync",)):
        done = town.agentx(*asked, "--json", expect=4)
        assert "the log is gone" in done.stdout
    assert town.json("doctor", expect=4)["well"] is False
    assert not (town.root / STORE / "db").exists()

    town.agentx("doctor", "--fix", "--yes", "--json", expect=None)
    brought_back = town.json("events", "--limit", "1000")["events"]
    assert len(brought_back) >= 10  # what transcripts still held
    copy_of(town, kept)


@pytest.mark.parametrize("name", ["CURRENT", "MANIFEST-*"])
def test_a_log_whose_tables_are_whole_is_mended_without_loss(
    town: Town, kept: Path, said: dict[str, Any], name: str
) -> None:
    copy_of(town, kept)
    (victim,) = (town.root / STORE / "db").glob(name)
    delete(victim)
    # Opening it would begin an empty log, and sweep the tables away.
    town.agentx("events", "--json", expect=4)
    tables = sorted(path.name for path in (town.root / STORE / "db").glob("*.sst"))

    told = town.agentx("doctor", "--fix", "--yes", "--json", expect=None)

    assert "nothing that the log named is gone" in told.stdout
    now = answers(town)
    for asked, answer in said.items():
        if not asked.startswith("toc"):  # a model wrote a part of it; it is made by rules again
            assert now[asked] == answer, asked
    (aside,) = (town.root / STORE).glob("db.damaged-*")
    assert sorted(path.name for path in aside.glob("*.sst")) == tables
    copy_of(town, kept)


def test_one_damaged_table_costs_no_more_than_it_holds(
    town: Town, kept: Path, said: dict[str, Any]
) -> None:
    copy_of(town, kept)
    before = {each["event_id"]: each for each in said["events --limit 1000 --full"]["events"]}
    for table in victims(town.root, "table"):
        DAMAGES["flip"](table)

    told = town.json("doctor", "--fix", "--yes", expect=None)

    now = town.json("events", "--limit", "1000", "--full")["events"]
    after = {each["event_id"]: each for each in now}
    same = [event_id for event_id in before if after.get(event_id) == before[event_id]]
    assert len(same) >= len(before) - 12  # a byte in each of some twenty tables
    assert any("laid again" in line for line in told["fixed"])
    texts = [(each["session_id"], each["event_type"], each["text"]) for each in now]
    twice = {text for text in texts if texts.count(text) > 1}
    assert all(
        texts.count(text) <= [_said(each) for each in before.values()].count(text) for text in twice
    )
    checks = town.json("doctor", "--deep", expect=None)["checks"]
    sound = {"log", "index", "document", "verb", "store"}
    assert [each for each in checks if each["health"] == "wrong" and each["name"] in sound] == []
    copy_of(town, kept)


def _said(event: dict[str, Any]) -> tuple[str, str, str]:
    return event["session_id"], event["event_type"], event["text"]


def test_without_a_word_from_the_user_a_log_is_left_as_it_is(town: Town, kept: Path) -> None:
    copy_of(town, kept)
    delete(town.root / STORE / "db" / "CURRENT")
    before = sorted(path.name for path in (town.root / STORE / "db").iterdir())

    done = town.agentx("doctor", "--fix", "--json", expect=4)

    assert "--yes" in done.stderr
    assert sorted(path.name for path in (town.root / STORE / "db").iterdir()) == before
    copy_of(town, kept)


@pytest.mark.parametrize("point", [CrashPoint.STORE_MENDED, CrashPoint.STORE_SWAPPED])
def test_a_mending_that_dies_leaves_one_log_or_the_other(
    town: Town, kept: Path, said: dict[str, Any], point: CrashPoint
) -> None:
    copy_of(town, kept)
    delete(town.root / STORE / "db" / "CURRENT")
    with dying_at(point):
        salvage_log(project_of(town))

    town.agentx("doctor", "--fix", "--yes", "--json", expect=None)

    asked = "events --limit 1000 --full"
    assert town.json(*asked.split()) == said[asked]
    assert list((town.root / STORE).glob("mending-*")) == []
    copy_of(town, kept)


def test_acknowledged_events_that_a_write_ahead_log_took_with_it_are_told(tmp_path: Path) -> None:
    house = House(tmp_path)
    for number in range(3):
        house.hook(prompt(f"The quay has {number} cranes.", prompt_id=f"p-{number}"))
    house.agentx("sync")
    (store,) = [path.parent for path in house.data.root.glob("*/db")]
    kept = {path: path.read_bytes() for path in (store / "db").iterdir() if path.is_file()}
    house.hook(prompt("The quay is closed on Sundays.", prompt_id="p-9"))
    house.agentx("sync")
    # As if the disk had lost everything since: the log is whole, and shorter than its views.
    shutil.rmtree(store / "db")
    (store / "db").mkdir(mode=0o700)
    for path, raw in kept.items():
        path.write_bytes(raw)

    told = [each["says"] for each in house.json("doctor", expect=4)["checks"]]
    assert any("the end of the log is gone" in says for says in told)

    house.hook(prompt("The quay has a lighthouse.", prompt_id="p-10"))
    house.agentx("sync")
    assert "lighthouse" in house.json("search", "lighthouse")["hits"][0]["snippet"]
    assert "Sundays" not in house.agentx("search", "Sundays", "--json").stdout
    told = [each["says"] for each in house.json("doctor", expect=None)["checks"]]
    assert any("the end of the log is gone" in says for says in told)


def test_a_file_that_somebody_took_away_is_noted_with_how_to_bring_it_back(
    town: Town, kept: Path
) -> None:
    copy_of(town, kept)
    for kind in ("question events", "issue", "run events", "lesson events"):
        path = victims(town.root, kind)[0]
        raw = path.read_bytes()
        path.unlink()

        # Told again, until it is back or some days have gone by.
        for _ in range(2 if kind == "issue" else 1):
            told = town.json("doctor", expect=None)["checks"]
            (missing,) = [each for each in told if each["name"] == "missing"]
            assert str(path.relative_to(town.project)) in missing["says"]
            # What was said in questions is held: that brings it back, and a restore older words.
            way = "clarify put-back" if kind == "question events" else "agentx restore"
            assert (missing["health"], way in missing["mend"]) == ("note", True)

        path.write_bytes(raw)  # of what was put back the next one tells nothing
    checks = town.json("doctor", expect=None)["checks"]
    assert [each for each in checks if each["name"] == "missing"] == []
    copy_of(town, kept)
