"""Goal: what another process reads ahead is what would be read here, whatever becomes of it.

Method: transcripts of some megabytes, read both ways; and the other process killed on the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest

from agentx.adapters.homes import Homes
from agentx.adapters.port import Damaged, Transcript
from agentx.adapters.registry import ADAPTERS
from agentx.capture.ahead import ReadAhead
from agentx.capture.limits import NEWEST_BYTES
from agentx.capture.transcripts import ImportRequest, import_transcripts
from agentx.conversation.cleaning import clean
from agentx.conversation.model import Receipt
from agentx.conversation.toc_model import CaughtUp
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.capture import Draft, Harness
from agentx.kernel.clock import Millis
from agentx.kernel.ids import ProjectId
from agentx.project.config import Environment, read_environment
from agentx.project.project import open_project
from tests.support.fake_memory import FakeMemory
from tests.support.years import write_years

ADAPTER = ADAPTERS[Harness.CLAUDE_CODE]
NOW_MS = Millis(1_800_000_000_000)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "shop"
    made.mkdir()
    return made


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return read_environment({"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"})


def find(homes: Homes) -> list[Transcript]:
    return sorted(ADAPTER.discover(homes), key=lambda one: -one.modified_ms)


def read_here(transcript: Transcript) -> list[Draft | Damaged]:
    return [
        item if isinstance(item, Damaged) else clean(item, now_ms=NOW_MS)
        for item in ADAPTER.read(transcript)
    ]


def parted(items: Iterable[Draft | Damaged]) -> tuple[list[Draft], list[Damaged]]:
    listed = list(items)
    return (
        [item for item in listed if isinstance(item, Draft)],
        [item for item in listed if isinstance(item, Damaged)],
    )


def test_what_is_read_ahead_is_what_would_be_read_here(
    tmp_path: Path, project: Path, environment: Environment
) -> None:
    write_years(tmp_path / "home", project, 6)
    found = find(environment.homes)

    with ReadAhead(found, NOW_MS) as ahead:
        assert ahead._process is not None
        for transcript in found:
            drafts, damaged = parted(ahead.read(ADAPTER, transcript))
            assert (drafts, damaged) == parted(read_here(transcript))
            assert len(drafts) >= 20
            assert len(damaged) == 10


def test_a_reader_that_dies_is_done_without(
    tmp_path: Path, project: Path, environment: Environment
) -> None:
    write_years(tmp_path / "home", project, 6)
    found = find(environment.homes)

    with ReadAhead(found, NOW_MS) as ahead:
        for number, transcript in enumerate(found):
            if number == 2 and ahead._process is not None:
                ahead._process.kill()
            drafts, _ = parted(ahead.read(ADAPTER, transcript))
            here, _ = parted(read_here(transcript))
            assert {draft.text for draft in drafts} == {draft.text for draft in here}


def test_a_transcript_that_is_gone_meanwhile_says_nothing_and_stops_nobody(
    tmp_path: Path, project: Path, environment: Environment
) -> None:
    write_years(tmp_path / "home", project, 6)
    found = find(environment.homes)
    gone = replace(found[0], path=found[0].path.with_name("gone.jsonl"))

    with ReadAhead([gone, *found[1:]], NOW_MS) as ahead:
        for transcript in (gone, *found[1:]):
            try:
                drafts, _ = parted(ahead.read(ADAPTER, transcript))
            except OSError:
                drafts = []
            assert bool(drafts) is (transcript is not gone)


class Followed(FakeMemory):
    """Notes what is asked of it, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def append(self, drafts: Iterable[Draft]) -> Receipt:
        given = tuple(drafts)
        self.asked += dict.fromkeys(draft.session_id for draft in given)
        return super().append(given)

    def catch_up(self, told: HowFar = unheard) -> CaughtUp:
        self.asked.append("views")
        return super().catch_up(told)


def test_the_newest_sessions_are_in_every_view_before_older_ones_are_read(
    tmp_path: Path, project: Path, environment: Environment
) -> None:
    write_years(tmp_path / "home", project, 12)
    memory = Followed()

    import_transcripts(
        memory,
        ImportRequest(),
        lambda _step: None,
        environment=environment,
        project_id=ProjectId(open_project(project, environment).id),
        cursors=tmp_path / "cursors.json",
        now_ms=NOW_MS,
    )

    sessions = [name for name in memory.asked if name.startswith("s-")]
    assert sessions == [f"s-{number:03}" for number in reversed(range(12))]
    sizes = [each.size_bytes for each in find(environment.homes)]
    assert memory.asked.index("views") == 1 + next(
        at for at, size in enumerate(accumulate(sizes)) if size >= NEWEST_BYTES
    )
    assert memory.asked.count("views") == 1
