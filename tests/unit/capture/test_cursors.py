"""Goal: what was read of transcripts is noted now and then, and all of it when an import ends.

Method: transcripts of a few sizes are noted; another reader of the same file says what is on disk.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.adapters.port import Transcript
from agentx.capture.cursors import Cursors
from agentx.capture.limits import CURSORS_STEP_BYTES
from agentx.kernel.capture import Harness
from agentx.kernel.clock import Millis


def transcript(number: int, size_bytes: int) -> Transcript:
    return Transcript(
        harness=Harness.CODEX,
        path=Path(f"/transcripts/{number}.jsonl"),
        size_bytes=size_bytes,
        modified_ms=Millis(1_800_000_000_000),
        working_directory="/work",
        session_id=f"s-{number}",
    )


def count_on_disk(path: Path, noted: list[Transcript]) -> int:
    return sum(map(Cursors(path).is_read, noted))


def test_many_small_transcripts_are_noted_with_few_writes(tmp_path: Path) -> None:
    path = tmp_path / "cursors.json"
    cursors = Cursors(path)
    noted = [transcript(number, CURSORS_STEP_BYTES // 10) for number in range(40)]

    seen = []
    for each in noted:
        cursors.mark_read(each)
        assert cursors.is_read(each)
        seen.append(count_on_disk(path, noted))

    assert sorted(set(seen)) == [0, 10, 20, 30, 40]


@pytest.mark.parametrize("size_bytes", [0, 100])
def test_what_is_noted_is_on_disk_once_it_is_written(tmp_path: Path, size_bytes: int) -> None:
    path = tmp_path / "cursors.json"
    cursors = Cursors(path)
    cursors.write()
    assert not path.exists()

    one = transcript(1, size_bytes)
    cursors.mark_read(one)
    cursors.write()
    assert count_on_disk(path, [one]) == 1
    path.unlink()
    cursors.write()
    assert not path.exists()
