"""Goal: whatever file is damaged in whatever way, `doctor` and `doctor --fix` end well, and all
that was not in it is as it was.

Method: every kind of file of a golden house is flipped, cut and deleted in turn; the real commands
look and mend; every answer that the file has no part in is held against what was said before.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fault.test_damage import ASKED, answers
from tests.golden.story import Town
from tests.support.damage import DAMAGES, KINDS, copy_of, prepare, victims

_LOG = {
    *("table", "write-ahead log", "manifest of tables", "name of the manifest"),
    *("options", "identity", "binding's options"),
}
_OBSERVATIONS = {kind for kind in KINDS if "observations" in kind}
# Which answers a kind of file may change for good; any other is the same after mending.
_PARTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_LOG, ("events", "sessions", "toc", "recall")),
    **dict.fromkeys(_OBSERVATIONS, ("memory", "recall")),
    "recall counts": ("memory", "recall"),
    "ledger": ("clarify", "recall"),
    "question events": ("clarify", "recall"),
    "run events": ("run", "recall"),
    "lane events": ("run", "recall"),
    "run manifest": ("run", "recall"),
    "run page": ("run",),
    "notes of a run": ("run",),
    "issue": ("recall",),
    "lesson events": ("ltm", "recall"),
    "lesson page": ("ltm", "recall"),
    # A setting that cannot be read is a default: any answer may be another.
    "project settings": tuple(asked[0] for asked in ASKED),
    "user settings": tuple(asked[0] for asked in ASKED),
}


@pytest.fixture(scope="module")
def whole() -> Iterator[tuple[Town, dict[str, Any]]]:
    """Lend a house that is whole, with a copy beside it, and what it says."""
    with tempfile.TemporaryDirectory(prefix="agentx-every-") as folder:
        town = prepare(Path(folder) / "house")
        town.agentx("sync")
        town.agentx("doctor", "--fix", "--yes", "--json", expect=None)
        said = answers(town)
        shutil.copytree(town.root, Path(folder) / "kept", symlinks=True)
        yield town, said


@pytest.mark.soak
@pytest.mark.parametrize("damage", sorted(DAMAGES))
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_whatever_is_damaged_the_rest_is_as_it_was(
    whole: tuple[Town, dict[str, Any]], kind: str, damage: str
) -> None:
    town, said = whole
    copy_of(town, town.root.with_name("kept"))
    found = victims(town.root, kind)
    if not found:
        pytest.skip("there is none once everything was taken")
    DAMAGES[damage](found[0])

    looked = town.agentx("doctor", "--json", expect=None)
    mended = town.agentx("doctor", "--fix", "--yes", "--json", expect=None)

    assert "Traceback" not in looked.stderr + mended.stderr
    for asked in ASKED:
        done = town.agentx(*asked, "--json", expect=None)
        assert "Traceback" not in done.stderr
        if asked[0] not in _PARTS.get(kind, ()):
            assert town.json(*asked) == said[" ".join(asked)], asked
