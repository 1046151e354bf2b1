"""Goal: the inspection of documents names what is damaged and is never stopped by it.

Method: a manifest with each of its values in turn being an odd one, in a real folder.
"""

from __future__ import annotations

import json
from pathlib import Path

from agentx.observations.store.paths import ObservationPaths
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
