"""Goal: what AgentX left behind goes when it is old, and nothing else ever does.

Method: a project in a temporary home, files made old by their time stamps.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import InvalidValue
from agentx.memory.found import SearchRequest
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.upkeep.doctor import diagnose, fix
from agentx.operations.upkeep.leftovers import Swept, remove_vectors, sweep
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.memory import open_store
from tests.support.drafts import draft
from tests.support.time_and_chance import FakeClock

CLOCK = FakeClock()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "work").mkdir()
    variables = {
        "HOME": str(tmp_path),
        "AGENTX_SPARE_SPOOL": str(tmp_path / "spare"),
        "PATH": os.defpath,
    }
    opened = open_project(tmp_path / "work", read_environment(variables))
    return replace(opened, clock=CLOCK)


def made(path: Path, days_old: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x", encoding="utf-8")
    at = (CLOCK.now_ms() - days_old * DAY_MS) / 1000
    os.utime(path, (at, at))
    return path


def test_old_copies_of_settings_go_but_the_newest_of_each_file_stays(project: Project) -> None:
    folder = project.data.backups
    oldest = made(folder / "~.claude.json.20250101T101112.000Z", 400)
    older = made(folder / "~.claude.json.20250301T101112.000Z", 300)
    newest = made(folder / "~.claude.json.20250601T101112.000Z", 200)
    alone = made(folder / "config.toml.20250101T101112.000Z", 400)
    fresh_but_not_newest = made(folder / "x.20260201T101112.000Z", 30)
    fresh = made(folder / "x.20260301T101112.000Z", 1)
    foreign = made(folder / "notes.txt", 4000)

    assert sweep(project) == Swept(backups=2)

    assert not oldest.exists()
    assert not older.exists()
    for kept in (newest, alone, fresh_but_not_newest, fresh, foreign):
        assert kept.exists()


def test_an_old_daemon_log_goes_and_the_one_in_use_stays(project: Project) -> None:
    current = made(project.store.daemon_log, 400)
    made(project.store.daemon_log_before, 29)
    assert sweep(project) == Swept()

    made(project.store.daemon_log_before, 31)
    assert sweep(project) == Swept(logs=1)

    assert current.exists()
    assert not project.store.daemon_log_before.exists()


def test_what_killed_hooks_and_writers_left_goes_after_a_day(project: Project) -> None:
    spool = project.data.spool("/home/mira/\u5e97 \U0001f6d2")
    half_written = made(spool.tmp / "1772445600000-77-abcdef.evt", 2)
    being_written = made(spool.tmp / "1772445600001-78-abcdef.evt", 0.5)
    waiting = made(spool.new / "1772445600002-79-abcdef.evt", 400)
    refused = made(spool.refused / "1772445600003-80-abcdef.evt", 400)
    settled = made(spool.directory, 400)
    torn = made(project.store.root / ".scheduler.json.0123456789abcdef.tmp", 2)
    aside = made(project.store.root / "scheduler.json.corrupt-01ARZ3NDEKTSV4RRFFQ69G5FAV", 400)

    assert sweep(project) == Swept(unfinished=2)

    assert not half_written.exists()
    assert not torn.exists()
    for kept in (being_written, waiting, refused, settled, aside):
        assert kept.exists()


def test_a_link_in_the_spool_leads_nowhere(project: Project, tmp_path: Path) -> None:
    precious = made(tmp_path / "precious" / "tmp" / "letter", 400)
    project.data.spools.mkdir(parents=True)
    (project.data.spools / "link").symlink_to(tmp_path / "precious")

    assert sweep(project) == Swept()
    assert precious.exists()


def test_where_there_is_nothing_nothing_goes_wrong(project: Project) -> None:
    assert sweep(project) == Swept()
    assert not project.data.root.exists()


def test_what_was_removed_is_said() -> None:
    assert str(Swept()) == "nothing to remove"
    assert str(Swept(backups=2, unfinished=1)) == (
        "removed copies of settings files: 2, unfinished files: 1"
    )


def kept_vectors(project: Project) -> tuple[Path, ...]:
    """Lay down what an earlier version kept to search by meaning."""
    here = made(project.store.vector_index / "g-0001" / "seg-000001.vec", 1)
    other = made(project.data.root / "ledger-0123" / "vector-index" / "current", 1)
    model = made(project.data.root / "models" / "minilm" / "model.safetensors", 1)
    return here.parents[1], other.parent, model.parent


def told_by_doctor(project: Project) -> list[str]:
    found = diagnose(project, lambda: open_store(project), setup_inputs(project)).checks
    return [check.says for check in found if check.name == "left over"]


def test_doctor_says_once_that_search_by_meaning_left_and_takes_away_what_it_kept(
    project: Project,
) -> None:
    kept = kept_vectors(project)
    memory = made(project.data.root / "ledger-0123" / "db" / "CURRENT", 1)
    (told,) = told_by_doctor(project)
    assert "no search by meaning" in told
    assert all(str(path) in told for path in kept)
    assert all(path.exists() for path in kept), "who looks changes nothing"

    done = fix(project, setup_inputs(project))

    assert [line for line in done if "vector-index" in line or "models" in line] == [
        f"took {path} away: nothing reads it" for path in sorted(kept)
    ]
    assert not any(path.exists() for path in kept)
    assert not (project.data.root / "models").exists()
    assert memory.exists()
    assert told_by_doctor(project) == []


def test_a_model_that_is_a_link_goes_and_what_it_leads_to_stays(
    project: Project, tmp_path: Path
) -> None:
    weights = made(tmp_path / "downloads" / "model.safetensors", 1)
    other = made(project.data.root / "models" / "mine", 1)
    (project.data.root / "models" / "minilm").symlink_to(weights.parent)

    assert remove_vectors(project) == (project.data.root / "models" / "minilm",)

    assert weights.exists()
    assert other.exists()
    assert remove_vectors(project) == ()


def test_an_index_by_meaning_that_would_outlive_forgetting_goes_with_the_first_use(
    project: Project,
) -> None:
    here, other, model = kept_vectors(project)

    with open_store(project) as memory:
        memory.append([draft("kept", session_id="s-1")])
        memory.forget(session_id="s-1")

    assert not here.exists()
    assert other.exists(), "it is another project's, and goes with that one's first use"
    assert model.exists(), "weights were fetched by a person: doctor asks"


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_a_mode_that_earlier_versions_knew_is_refused_with_what_to_use(
    project: Project, mode: str
) -> None:
    with open_store(project) as memory:
        assert memory.capabilities().modes == ("auto", "bm25")
        with pytest.raises(InvalidValue, match="no search by meaning") as refused:
            memory.search(SearchRequest(query="retries", mode=mode))
        with pytest.raises(InvalidValue, match="none of auto, bm25"):
            memory.search(SearchRequest(query="retries", mode="dense"))

    assert "--mode auto" in refused.value.hint
