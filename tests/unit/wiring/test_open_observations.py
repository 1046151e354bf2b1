"""Goal: observations that a daemon leaves open are those that are on the disk.

Method: real projects whose observations others change, put away and replace meanwhile.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.observations.model import SearchFilters
from agentx.observations.store.paths import ObservationPaths
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.observations import OpenObservations, open_observations, prepare_observations
from tests.support.observations import observation

BACKENDS = pytest.mark.parametrize("backend", ["json", "sqlite"])


@pytest.fixture
def kept() -> Iterator[OpenObservations]:
    made = OpenObservations()
    yield made
    made.close()


def project_in(root: Path, name: str = "shop", backend: str = "json") -> Project:
    (root / name).mkdir(exist_ok=True)
    said = {"HOME": str(root / "home"), "AGENTX_MEMORY_BACKEND": backend}
    project = open_project(root / name, read_environment(said))
    prepare_observations(project)
    return project


def write(project: Project, *texts: str) -> None:
    """Write observations as another process does."""
    room = open_observations(project)
    room.store.store([observation(text) for text in texts])
    room.settle()
    room.close()


def read(kept: OpenObservations, project: Project) -> list[str]:
    store = kept.of(project).store
    rows = store.search_by_filters(SearchFilters())
    return sorted(one.content for one in store.get_by_ids([row.id for row in rows]))


@BACKENDS
def test_what_others_wrote_meanwhile_is_read(
    tmp_path: Path, kept: OpenObservations, backend: str
) -> None:
    project = project_in(tmp_path, backend=backend)
    write(project, "Tide tables come from the port office.")
    assert len(read(kept, project)) == 1
    first = kept.of(project)

    write(project, "Ferries moor at the northern quay.")

    assert len(read(kept, project)) == 2
    assert kept.of(project) is first, "it stayed open"


@BACKENDS
def test_what_was_forgotten_meanwhile_is_not_read(
    tmp_path: Path, kept: OpenObservations, backend: str
) -> None:
    project = project_in(tmp_path, backend=backend)
    write(project, "Tide tables come from the port office.", "Ferries moor at the quay.")
    assert len(read(kept, project)) == 2

    other = open_observations(project)
    (gone,) = (row.id for row in other.store.search("tide tables")[:1])
    other.forget([gone])
    other.close()

    assert read(kept, project) == ["Ferries moor at the quay."]


@BACKENDS
def test_a_folder_that_was_put_in_the_place_of_another_is_read(
    tmp_path: Path, kept: OpenObservations, backend: str
) -> None:
    project = project_in(tmp_path, backend=backend)
    write(project, "Tide tables come from the port office.")
    assert len(read(kept, project)) == 1

    shutil.rmtree(project.observations)
    prepare_observations(project)
    write(project, "Ferries moor at the northern quay.")

    assert read(kept, project) == ["Ferries moor at the northern quay."]


def test_a_link_where_another_backend_keeps_its_database_is_nobodys_business(
    tmp_path: Path, kept: OpenObservations
) -> None:
    project = project_in(tmp_path)
    write(project, "Tide tables come from the port office.")
    ObservationPaths(project.observations).database.symlink_to("/etc/passwd")

    assert len(read(kept, project)) == 1


def test_few_are_left_open(tmp_path: Path, kept: OpenObservations) -> None:
    projects = [project_in(tmp_path, f"shop-{number}") for number in range(6)]
    first = kept.of(projects[0])
    for project in projects[1:]:
        kept.of(project)

    assert kept.of(projects[0]) is not first
