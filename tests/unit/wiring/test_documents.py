"""Goal: the inspection of documents names what is damaged and is never stopped by it.

Method: a manifest with each of its values in turn being an odd one, and an archive that says it
is large, in a real folder.
"""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

from agentx.observations.store.paths import ObservationPaths
from agentx.runs.limits import RUN_ARCHIVE_BYTES_MAX
from agentx.wiring.keeping.documents import find_damaged_documents
from tests.support.mutation import change_each
from tests.support.remembering import project_in
from tests.support.trusting import trusted

MANIFEST = {"version": 1, "entries": [{"id": "obs-7-1", "issueNumber": 7}]}


def test_a_manifest_with_any_odd_value_does_not_stop_the_inspection(tmp_path: Path) -> None:
    project = trusted(project_in(tmp_path))
    path = ObservationPaths(project.observations).manifest
    path.parent.mkdir(parents=True)

    for odd in change_each(MANIFEST):
        path.write_text(json.dumps(odd), encoding="utf-8")
        for found in find_damaged_documents(project):
            assert found.path == path or "issue-" in found.path.name


def test_observations_that_a_manifest_names_and_that_are_gone_are_told(tmp_path: Path) -> None:
    project = trusted(project_in(tmp_path))
    path = ObservationPaths(project.observations).manifest
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(MANIFEST), encoding="utf-8")

    [found] = find_damaged_documents(project)

    assert found.path.name == "issue-7.json"
    assert "is gone, with 1 observations" in found.says


def test_an_archive_is_unpacked_no_further_than_it_may_be_read(tmp_path: Path) -> None:
    project = trusted(project_in(tmp_path))
    path = project.root / ".agent-memory" / "archive" / "20260101-0000-a-run-aaaa.tar.gz"
    path.parent.mkdir(parents=True)
    large = tarfile.TarInfo("20260101-0000-a-run-aaaa/events/x/1.jsonl")
    large.size = RUN_ARCHIVE_BYTES_MAX + 1
    path.write_bytes(gzip.compress(large.tobuf()))  # what it says it holds is not looked for

    [found] = find_damaged_documents(project)

    assert found.path == path
    assert found.says.endswith("holds more than 268,435,456 bytes")
