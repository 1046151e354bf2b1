"""Projects that remember something, opened in this process: no daemon, no command line."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path

from agentx.kernel.capture import Draft
from agentx.kernel.clock import DAY_MS
from agentx.observations.model import Marking
from agentx.project.config import Environment, read_environment
from agentx.project.project import Project, open_project
from agentx.project.trust.marker import marker_path, read_marker
from agentx.project.trust.record import TrustFolder
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations
from tests.support.history import imported_sample
from tests.support.time_and_chance import FakeClock


def environment_in(root: Path) -> Environment:
    """Return the surroundings of a user whose home is in a folder."""
    return read_environment(
        {
            "HOME": str(root / "home"),
            "PATH": "",
            "TZ": "UTC",
            "AGENTX_SEARCH_ALL_PROJECTS": "true",
            "AGENTX_STORAGE_WAIT_MS": "30000",  # a busy machine is no reason to read less
        }
    )


def project_in(root: Path, name: str = "shop") -> Project:
    """Return an empty project of that user, at a time after the sample."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    opened = open_project(folder, environment_in(root))
    return replace(opened, clock=FakeClock(imported_sample()[-1].timestamp_ms + DAY_MS))


def remember(project: Project, drafts: Iterable[Draft]) -> Project:
    """Store drafts in a project and bring its views up to date."""
    with open_store(project) as memory:
        memory.append(drafts)
        memory.catch_up()
    return project


def sample_project(root: Path) -> Project:
    """Return a project that remembers the bundled sample: three weeks of a small team.

    It is remembered once; every further one is that project, moved here with its memory.
    """
    kept = _remember_sample()
    shutil.copytree(kept, root, ignore=shutil.ignore_patterns("spool"), dirs_exist_ok=True)
    folder = TrustFolder(environment_in(root).data.trust)
    marker = read_marker(marker_path(root / "shop", None))
    assert marker is not None
    record = folder.read(marker.mark)
    assert record is not None
    moved = replace(record, root=str(root / "shop"), natural=record.project_id)
    folder.write(marker.mark, moved)
    return project_in(root)


def reword(project: Project, name: str, text: str) -> None:
    """Write a memory anew, also a person's decision, as an earlier version let a person."""
    with closing(open_observations(project)) as room:
        room.store.mark([Marking(id=name, reviewed=True, content=text, summary=text)])


@cache
def _remember_sample() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="ax-sample-")).resolve()
    atexit.register(shutil.rmtree, folder)
    remember(project_in(folder), imported_sample())
    return folder
