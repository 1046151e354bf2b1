"""Goal: what an export carries is everything, and a restore is whole or changes nothing.

Method: a golden house is exported and read back in another home through the real commands, and
every answer compared byte for byte; the file is cut, flipped and forged; the restore is killed.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentx.host.crash import CrashPoint
from agentx.host.files.parcel import Parcel, Record, write_parcel
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.keeping.restore import restore_memory
from tests.golden.story import Town
from tests.support.crashing import dying_at
from tests.support.damage import DATA, STORE, prepare

ASKED = (
    ("events", "--limit", "1000", "--full"),
    ("sessions",),
    ("toc", "--depth", "5"),
    ("search", "postgres"),
    ("search", "mail", "--kind", "all"),
    ("recall",),
    ("memory", "list", "--limit", "100"),
    ("memory", "search", "webhook"),
    ("clarify", "--issue", "1"),
    ("issue", "list"),
    ("run", "show"),
    ("run", "event"),
    ("ltm", "patterns"),
    ("ltm", "debt"),
)


class Elsewhere(Town):
    """The same project with another home, in which nothing was ever remembered."""

    def __init__(self, town: Town) -> None:
        self.root, self.project, self.data = town.root, town.project, town.data
        self.now_ms = town.now_ms
        self.home = town.root / "other-home"
        self.home.mkdir()

    @property
    def environment(self) -> dict[str, str]:
        """The environment there: the folder is known as the project it was."""
        return {**super().environment, "MEMORY_PROJECT_ID": "golden-shop"}


@pytest.fixture(scope="module")
def exported() -> Iterator[tuple[Town, Path, list[str]]]:
    """Lend a house, an export of it, and what it said."""
    with tempfile.TemporaryDirectory(prefix="agentx-carry-") as folder:
        town = prepare(Path(folder) / "house")
        town.agentx("sync")
        file = Path(folder) / "memory.agentx"
        said = [town.agentx(*asked, "--json").stdout for asked in ASKED]
        town.agentx("export", str(file), "--json")
        yield town, file, said


def project_of(town: Town) -> Project:
    """Open the project of a house in this process."""
    return open_project(town.project, read_environment(town.environment))


def snapshot(town: Town) -> dict[str, bytes]:
    """Return every file that is the project's memory, but for what only looking changes."""
    roots = (town.root / STORE, town.project / ".agentx", town.project / ".agent-memory")
    passing = ("LOG", "LOCK", ".lock", "agentx.jsonl", "exports.jsonl")
    return {
        str(path): path.read_bytes()
        for root in roots
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith(passing)
    }


def test_an_export_is_for_its_user_alone_and_never_over_another_file(
    exported: tuple[Town, Path, list[str]],
) -> None:
    town, file, _ = exported

    assert file.stat().st_mode & 0o777 == 0o600
    assert "is there already" in town.agentx("export", str(file), expect=2).stderr


def test_a_restore_over_a_memory_says_what_becomes_of_it(
    exported: tuple[Town, Path, list[str]],
) -> None:
    town, file, said = exported
    before = snapshot(town)

    refused = town.agentx("restore", str(file), expect=3)
    assert "kept aside" in refused.stderr
    assert snapshot(town) == before

    done = json.loads(town.agentx("restore", str(file), "--yes", "--json").stdout)
    assert [town.agentx(*asked, "--json").stdout for asked in ASKED] == said
    aside = Path(done["aside"])
    assert (aside / "db" / "CURRENT").exists()
    assert (aside / ".agentx" / "memory" / "manifest.json").exists()
    shutil.rmtree(aside)


@pytest.mark.parametrize(
    "forge",
    [
        lambda raw: raw[: len(raw) // 2],
        lambda raw: raw[:-9],
        lambda raw: (
            raw[: len(raw) // 2] + bytes([raw[len(raw) // 2] ^ 255]) + raw[len(raw) // 2 + 1 :]
        ),
        lambda raw: raw + b"more",
        lambda raw: raw.replace(b"PARCEL 1", b"PARCEL 9", 1),
        lambda _raw: b"",
        lambda _raw: b"hello\n",
    ],
    ids=["half", "end", "flip", "more", "version", "empty", "other"],
)
def test_a_file_that_is_not_whole_changes_nothing(
    exported: tuple[Town, Path, list[str]], forge: object
) -> None:
    town, file, _ = exported
    forged = file.with_name("forged")
    forged.write_bytes(forge(file.read_bytes()))  # type: ignore[operator]
    before = snapshot(town)

    done = town.agentx("restore", str(forged), "--yes", "--json", expect=None)

    assert done.returncode in (2, 4)
    assert "Traceback" not in done.stdout + done.stderr
    assert snapshot(town) == before


@pytest.mark.parametrize(
    "record",
    [
        ["file", "project", "../evil", 0o600, 0, b"x", True],
        ["file", "project", "/etc/evil", 0o600, 0, b"x", True],
        ["file", "project", ".agentx/../../evil", 0o600, 0, b"x", True],
        ["file", "project", ".git/hooks/post-checkout", 0o755, 0, b"x", True],
        ["file", "project", ".agentx", 0o600, 0, b"x", True],
        ["file", "store", "../other/db/CURRENT", 0o600, 0, b"x", True],
        ["file", "store", "db/CURRENT", 0o600, 0, b"x", True],
        ["file", "elsewhere", "x", 0o600, 0, b"x", True],
        ["file", "project", ".agentx/a", 0o600, 0, b"x", False],
        ["row", "nonsense", b"k", b"v"],
        ["row", "events", b"evt:1794701844852:01M7E91KEV52ERB2GB2BHE6ARZ", b"not an event"],
        ["what", 1],
        [],
    ],
)
def test_a_forged_record_writes_nothing_anywhere(
    exported: tuple[Town, Path, list[str]], record: Record
) -> None:
    town, _, _ = exported
    forged = town.root / "forged"
    forged.unlink(missing_ok=True)
    tombstones = town.root / DATA / "tombstones" / "golden-shop.jsonl"
    assert tombstones.exists()  # what is forgotten again must not hide what cannot be opened
    write_parcel(forged, {"kind": "export", "project": "golden-shop"}, [record])
    before, around = snapshot(town), sorted(town.root.rglob("evil"))

    done = town.agentx("restore", str(forged), "--yes", "--json", expect=4)

    assert "Traceback" not in done.stderr
    assert snapshot(town) == before
    assert sorted(town.root.rglob("evil")) == around
    assert list(town.project.glob(".agentx.restoring-*")) == []


def test_a_passphrase_seals_every_word(
    tmp_path: Path, exported: tuple[Town, Path, list[str]]
) -> None:
    town, _, _ = exported
    sealed, key, wrong = (tmp_path / name for name in ("sealed", "key", "wrong"))
    key.write_text("a quay with two cranes\n", encoding="utf-8")
    wrong.write_text("a quay with one crane\n", encoding="utf-8")

    town.agentx("export", str(sealed), "--passphrase-file", str(key))

    before = snapshot(town)
    for given in ([], ["--passphrase-file", str(wrong)]):
        done = town.agentx("restore", str(sealed), "--yes", *given, expect=None)
        assert done.returncode in (2, 4)
        assert snapshot(town) == before
    with closing(Parcel(sealed, passphrase="a quay with two cranes")) as parcel:
        assert len(list(parcel.records())) > 500
    town.agentx("restore", str(sealed), "--yes", "--passphrase-file", str(key))
    sealed.unlink()


@pytest.mark.parametrize(
    "point",
    [CrashPoint.RESTORE_LAID, CrashPoint.RESTORE_BEGUN, CrashPoint.RESTORE_PARTLY_SWAPPED],
)
def test_a_restore_that_dies_has_happened_or_has_not(
    exported: tuple[Town, Path, list[str]], point: CrashPoint
) -> None:
    town, file, said = exported
    with dying_at(point):
        restore_memory(project_of(town), file)

    if point is not CrashPoint.RESTORE_LAID:
        assert "interrupted" in town.agentx("events", "--json", expect=4).stdout
        town.agentx("doctor", "--fix", "--yes", expect=None)

    assert [town.agentx(*asked, "--json").stdout for asked in ASKED[:3]] == said[:3]
    assert list((town.root / STORE).glob("restoring*")) == []
    assert list(town.project.glob(".agent*.re*")) == []


def test_a_restore_undoes_no_forgetting(exported: tuple[Town, Path, list[str]]) -> None:
    town, file, said = exported
    events = json.loads(said[0])["events"]
    spoken = [each for each in events if each["event_type"] == "user_message"]
    (session,) = {each["session_id"] for each in spoken if "Postgres because" in each["text"]}
    single = next(each for each in spoken if each["session_id"] != session)
    assert "ledger in Postgres" in town.agentx("recall", "--json").stdout
    told = town.json("forget", "--session", session)
    assert told["exports"][0] == str(file)
    town.json("forget", "--event", single["event_id"])
    remembered = town.agentx(*ASKED[0], "--json").stdout

    done = town.json("restore", str(file), "--yes")

    assert done["forgotten"] > 1
    assert town.agentx(*ASKED[0], "--json").stdout == remembered
    for asked in ASKED[:9]:
        assert "SQLite locks under five writers" not in town.agentx(*asked, "--json").stdout
    for path in (*(town.root / STORE / "db").glob("*"), *(town.project / ".agentx").rglob("*")):
        if path.is_file():
            assert b"SQLite locks under five" not in path.read_bytes(), path
    shutil.rmtree(done["aside"])


def test_an_export_read_back_in_another_home_gives_the_same_answers_byte_for_byte(
    exported: tuple[Town, Path, list[str]],
) -> None:
    town, file, said = exported
    shutil.rmtree(town.root / STORE)
    for folder in (".agentx", ".agent-memory"):
        shutil.rmtree(town.project / folder)
    there = Elsewhere(town)
    shutil.copytree(town.home / ".config", there.home / ".config")

    there.agentx("restore", str(file))

    now = [there.agentx(*asked, "--json").stdout for asked in ASKED]
    asks = ("clarify", "--issue", "1")
    at = ASKED.index(asks)
    assert json.loads(now[at]) == without_the_key(json.loads(said[at]))
    told = ASKED.index(("run", "event"))
    assert json.loads(now[told]) == without_standing(json.loads(said[told]))
    left = [turn for turn in range(len(ASKED)) if turn not in (at, told)]
    assert [now[turn] for turn in left] == [said[turn] for turn in left]


def without_standing(seen: Any) -> Any:
    """Return a run's events as their user restored them: whose key signed them is not known."""
    for event in seen["events"]:
        assert event["standing"] in (None, "signed")
        event |= {"standing": None, "owner": ""}
    return seen


def without_the_key(seen: Any) -> Any:
    """Return questions as another home shows them: the key that signed stays where it was.

    Of a question that waits for a person nobody vouches for what came late.
    """
    (row,) = [row for row in seen["clarifications"] if row["waitsOn"] == "human"]
    (late,) = [entry for entry in row["thread"] if entry.get("late")]
    late |= {"via": "untrusted", "doubt": "unverified"}
    row["doubt"] = "unverified"
    return seen
