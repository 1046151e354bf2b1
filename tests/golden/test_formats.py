"""Goal: what any version wrote is read by this one, and this one writes what it wrote before.

Method: the golden sets are laid out as houses and asked through the real commands; the story
they were made by is told again and compared file by file. Clock and chance stand still.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.golden.asking import ask, drained, taken_up
from tests.golden.layout import contents, elsewhere, golden_sets, lay_out, shapes
from tests.golden.story import Town, tell_story
from tests.support.house import processes_of
from tests.support.soaking import in_soak

SETS = golden_sets()
# Sets of no release, whose like is asked of the first and of the newest: only `make soak` goes on.
of_some_sets = pytest.mark.parametrize(
    "golden", [SETS[0], *in_soak(*SETS[1:-1]), SETS[-1]], ids=lambda path: path.name
)
of_every_set = pytest.mark.parametrize("golden", SETS, ids=lambda path: path.name)
# Of the older sets every sixth question is asked; `make soak` asks all.
_SIXTH = 6
# What reading may make again: prepared texts, our log, whose a spool folder is, what pages were.
NOTES = (
    "/notes.json",
    "/brought.json",
    "/inventory.json",
    "/vouched.json",
)  # what files looked like
USES = ("/recalled/", "/memory/pending.jsonl", "/observations.db")  # what is opened is counted
VIEWS = (
    *("/digests/", "/logs/agentx.jsonl", "/spool/", "/runs/lessons.pages", "/runs/made/"),
    *(*NOTES, *USES),
)


@pytest.fixture
def root() -> Iterator[Path]:
    """Lend a folder to lay a set out in."""
    with elsewhere() as folder:
        yield folder
        assert processes_of(folder / "home") == []


def _saved(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@of_every_set
def test_old_files_are_read_as_ever_and_reading_leaves_them_alone(golden: Path, root: Path) -> None:
    town = lay_out(golden, root)
    before = contents(root)

    _see_answers(town, golden, 1 if golden == SETS[-1] else _SIXTH)

    after = contents(root)
    assert _unlike(before, after) == []


@pytest.mark.soak
@of_every_set
def test_every_answer_of_old_files_is_as_ever(golden: Path, root: Path) -> None:
    _see_answers(lay_out(golden, root), golden, 1)


def _see_answers(town: Town, golden: Path, step: int) -> None:
    saved = [_saved(path) for path in sorted((golden / "answers").iterdir())]
    assert len(saved) > 60
    for each in saved[::step]:
        assert {"asked": each["asked"], **ask(town, each["asked"])} == each


@of_some_sets
def test_what_old_hooks_left_in_the_spool_is_taken(golden: Path, root: Path) -> None:
    assert drained(lay_out(golden, root, spooled=True)) == _saved(golden / "drained.json")


@of_some_sets
def test_an_old_run_is_taken_up_and_an_archive_packed_again_to_the_same_bytes(
    golden: Path, root: Path
) -> None:
    town = lay_out(golden, root)
    (archive,) = (town.project / ".agent-memory" / "archive").glob("*.tar.gz")
    packed = archive.read_bytes()

    assert taken_up(town) == _saved(golden / "taken-up.json")

    archive.unlink()
    town.tell("run", "archive", archive.name.removesuffix(".tar.gz"))
    assert archive.read_bytes() == packed


@of_some_sets
def test_pages_that_are_made_from_events_are_made_again_to_the_same_bytes(
    golden: Path, root: Path
) -> None:
    town = lay_out(golden, root)
    before = contents(root)
    memory = town.project / ".agent-memory"
    pages = [path for path in memory.rglob("*") if path.suffix in {".yaml", ".md"}]
    assert len(pages) > 15
    for path in pages:
        if path.name != "index.yaml":  # it says when this checkout got an archive
            path.unlink()

    (active,) = town.tell("run", "list")["runs"]
    town.tell("run", "rebuild", active["run_id"])
    town.tell("ltm", "patterns")

    assert _unlike(before, contents(root)) == []


def test_the_story_told_again_writes_the_same_bytes(root: Path) -> None:
    with elsewhere() as other:
        lay_out(SETS[-1], other, spooled=True)
        expected = shapes(other)
    town = Town(root)

    tell_story(town)

    told, expected = _without_our_log(shapes(root)), _without_our_log(expected)
    assert told.keys() == expected.keys()
    for name, texts in expected.items():
        assert told[name] == texts, name


def test_the_story_leaves_no_name_of_this_machine_in_the_sets() -> None:
    here = str(Path(__file__).parents[2]).encode()
    for golden in SETS:
        for path in (each for each in golden.rglob("*") if each.is_file()):
            assert here not in path.read_bytes(), path
            if path.name.endswith(".golden.tgz"):
                with tarfile.open(path) as tar:
                    assert not any("LOG" in Path(name).name for name in tar.getnames()), path


def _without_our_log(told: dict[str, Any]) -> dict[str, Any]:
    """Leave out our own log, which is nobody's memory, and what is of a place on this machine."""
    return {
        name: text
        for name, text in told.items()
        if not (
            "/logs/" in name
            or "/shown/" in name
            or "/made/" in name
            or name.endswith(("/decided.json", "/runs/writers.json"))
        )
    }


def _unlike(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """Return the names of files that are not as they were, views aside."""
    return [
        name
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name) and not any(view in name for view in VIEWS)
    ]
