"""Goal: a run that is packed again keeps aside what somebody wrote, and no page that we made.

Method: one checkout; a run is packed, laid out, goes on and is packed again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.operations.runs.archive import archive_run, restore_run
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, start_run, task_step, write_artifact
from agentx.project.project import Project
from agentx.runs.model import Contract
from agentx.runs.store.archive import Archive, _pack
from agentx.wiring.runs import open_run_store
from tests.support.run_clones import Clones
from tests.support.run_stories import happening

_EDITED = b"title: precious\n" + b"goal: precious\n" * 100  # the longer one counts


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Clones(tmp_path).clone("one")


@pytest.fixture
def packed(project: Project) -> str:
    run = start_run(project, "shared", actor="orchestrator").id
    says = Saying(run_id=run, actor="orchestrator")
    add_task(project, says, Contract(title="first"))
    _go_on(project, run, "began")
    write_artifact(project, says, "plan.md", "# Plan\n")
    go_to_phase(project, says, "fail", reason="enough")
    archive_run(project, run)
    return run


def _go_on(project: Project, run: str, text: str) -> None:
    says = Saying(run_id=run, actor="orchestrator", task="TASK-001")
    task_step(project, says, "task-progressed", {"text": text})


def _note(project: Project, run: str) -> None:
    """Let another clone's words come in late."""
    with open_run_store(project).editing(run) as desk:
        desk.record([happening("task-progressed", task="TASK-001", text="late")])


def _packed_names(project: Project, run: str) -> list[str]:
    return sorted(Archive(project.paths).files(run))


def test_pages_that_nobody_edited_are_not_kept_aside(project: Project, packed: str) -> None:
    before = _packed_names(project, packed)
    for _ in range(2):
        restore_run(project, packed)
        _note(project, packed)
        archive_run(project, packed)
        assert not [name for name in _packed_names(project, packed) if name.endswith(".before")]
    assert {*before} <= {*_packed_names(project, packed)}


def _repack(project: Project, run: str, **changed: bytes) -> None:
    archive = Archive(project.paths)
    names = {"log": "tasks/TASK-001/work-log.md", "manifest": "manifest.yaml"}
    names |= {"contract": "tasks/TASK-001/contract.yaml", "plan": "artifacts/plan.md"}
    files = archive.files(run) | {names[name]: data for name, data in changed.items()}
    archive.path(run).write_bytes(_pack(run, files))


@pytest.mark.parametrize("name", ["log", "contract", "plan"])
def test_what_somebody_edited_there_is_kept_aside(project: Project, packed: str, name: str) -> None:
    restore_run(project, packed)
    _repack(project, packed, **{name: _EDITED})
    _note(project, packed)
    archive_run(project, packed)
    files = Archive(project.paths).files(packed)
    [kept] = [each for each in files if each.endswith(".before")]
    assert files[kept] == _EDITED


def test_what_an_earlier_version_laid_beside_goes(project: Project, packed: str) -> None:
    restore_run(project, packed)
    folder = project.paths.runs / packed
    (folder / "manifest.yaml.before").write_bytes((folder / "manifest.yaml").read_bytes())
    (folder / "notes.txt.before").write_bytes(b"precious")
    _note(project, packed)
    archive_run(project, packed)
    names = _packed_names(project, packed)
    assert [name for name in names if name.endswith(".before")] == ["notes.txt.before"]
    assert not folder.exists()
