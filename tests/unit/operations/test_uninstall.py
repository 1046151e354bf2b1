"""Goal: leaving takes all of ours and nothing else, whatever stands in the way.

Method: the real operation on a temporary home, with what people have there; no daemon runs.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from agentx.adapters.port import SetupScope
from agentx.adapters.registry import ADAPTERS
from agentx.host.files.atomic import replace_file
from agentx.kernel.capture import Harness
from agentx.kernel.errors import DaemonUnavailable, InvalidValue
from agentx.kernel.paths import StorePaths
from agentx.operations.setup.init import IGNORE_RULES
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.leaving.uninstall import LeaveReply, LeaveRequest, uninstall
from agentx.operations.setup.setup import Setup, setup
from agentx.project.claims import claim_private
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.surfaces.cli.commands.begin.uninstall import tell_memory_gone


def made(root: Path) -> Project:
    """Return the project of a user with a home below a folder."""
    (root / "shop").mkdir(exist_ok=True)
    known = {"HOME": str(root / "home"), "PATH": "/nowhere"}
    known["AGENTX_SPARE_SPOOL"] = str(root / "spare")
    return open_project(root / "shop", read_environment(known))


def leave(project: Project, *, stuck: bool = False, **asked: bool) -> LeaveReply:
    def stop(paths: StorePaths) -> bool:
        if stuck:
            raise DaemonUnavailable(f"the daemon of {paths.root} does not stop")
        return True

    return uninstall(project.environment, project.directory, stop, LeaveRequest(**asked))


def remember(project: Project) -> Path:
    """Make what a store and a daemon leave behind, without running any."""
    store = project.store.root
    (store / "db").mkdir(parents=True)
    (store / "db" / "CURRENT").write_text("x" * 100)
    (store / "daemon.lock").write_text("")
    return store


@pytest.mark.parametrize("harness", Harness)
def test_entries_of_an_older_agentx_go_too(tmp_path: Path, harness: Harness) -> None:
    project = made(tmp_path)
    setup(setup_inputs(project), Setup(harness=harness, project_root=project.root))
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file() and project.data.root not in path.parents:
            old = path.read_text().replace(str(project.data.root / "bin"), "/old/venv/bin")
            path.write_text(old)

    reply = leave(project)

    assert reply.left == ()
    left = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert [path for path in left if project.data.backups not in path.parents] == []


def test_a_broken_file_keeps_only_itself_also_of_one_agent_cli(tmp_path: Path) -> None:
    project = made(tmp_path)
    home = tmp_path / "home"
    for harness in ADAPTERS:
        setup(setup_inputs(project), Setup(harness=harness, project_root=project.root))
    broken = [home / ".codex" / "config.toml", home / ".config" / "opencode" / "opencode.json"]
    broken += [home / ".claude.json", home / ".gemini" / "settings.json"]
    for path in broken[:3]:
        path.write_text(path.read_text() + "{[,")
    broken[3].write_bytes(b"\xff\xfe agentx-hook")
    before = [path.read_bytes() for path in broken]

    plan = leave(project, dry_run=True)
    reply = leave(project)

    assert {each.path for each in reply.left} >= set(map(str, broken))
    assert {each.path for each in plan.left} == {each.path for each in reply.left}
    assert all(each.mend for each in reply.left if each.path in map(str, broken))
    assert [path.read_bytes() for path in broken] == before
    assert not (home / ".codex" / "hooks.json").exists()
    assert not (home / ".claude" / "settings.json").exists()
    assert not (home / ".config" / "opencode" / "plugins").exists()
    assert "captures nothing" in project.data.launcher.read_text()


def test_a_program_stays_while_something_that_could_not_be_changed_calls_it(
    tmp_path: Path,
) -> None:
    project = made(tmp_path)
    setup(setup_inputs(project), Setup(harness=Harness.CLAUDE_CODE, project_root=project.root))
    servers = tmp_path / "home" / ".claude.json"
    servers.write_text(servers.read_text() + "{[,")

    plan = leave(project, dry_run=True)
    reply = leave(project, remove_memory=True)

    left = [str(servers), str(project.data.command)]
    assert [[each.path for each in one.left] for one in (plan, reply)] == [left, left]
    assert (project.data.launcher.exists(), project.data.command.exists()) == (False, True)
    servers.write_text(servers.read_text().removesuffix("{[,"))
    assert leave(project, remove_memory=True).left == ()
    assert not project.data.command.exists()


def test_what_is_linked_elsewhere_is_left_there_and_told(tmp_path: Path) -> None:
    project = made(tmp_path)
    elsewhere = tmp_path / "disk"
    (elsewhere / "kept").mkdir(parents=True)
    (elsewhere / "kept" / "old").write_text("x")
    project.data.root.parent.mkdir(parents=True)
    project.data.root.symlink_to(elsewhere / "data")
    (elsewhere / "data").mkdir()
    store = remember(project)
    (project.data.root / "kept").symlink_to(elsewhere / "kept")
    (project.data.root / "mine").symlink_to(elsewhere / "kept")

    reply = leave(project, remove_memory=True)

    assert not store.exists()
    assert (elsewhere / "kept" / "old").exists()
    assert [Path(each.path).name for each in reply.left] == ["kept", "mine"]
    assert not any(each.is_fault for each in reply.left)
    assert list((elsewhere / "data").iterdir()) == [elsewhere / "data" / "mine"]


def test_a_store_whose_daemon_does_not_end_is_not_taken_from_under_it(tmp_path: Path) -> None:
    project = made(tmp_path)
    store = remember(project)

    reply = leave(project, remove_memory=True, stuck=True)

    assert [each.path for each in reply.left if each.is_fault] == [str(store)]
    assert (store / "db" / "CURRENT").exists()
    assert "not gone: of 1 of 1 project it is left" in tell_memory_gone(reply)
    assert "Memory is gone" in tell_memory_gone(leave(project, remove_memory=True))


def test_what_waits_in_the_fallback_of_this_home_goes_and_others_stay(tmp_path: Path) -> None:
    project = made(tmp_path)
    remember(project)
    for name, data in (("ours", str(project.data.root)), ("theirs", "/home/eve/agent-memory")):
        folder = tmp_path / "spare" / name
        folder.mkdir(parents=True)
        (folder / "directory").write_text(f"/src\0\0{data}")
    settings = project.environment.user_settings
    settings.parent.mkdir(parents=True)
    settings.write_text("")

    assert leave(project, remove_memory=True, dry_run=True).gone
    assert settings.exists()
    leave(project, remove_memory=True)

    assert [path.name for path in (tmp_path / "spare").iterdir()] == ["theirs"]
    assert not settings.parent.exists()
    assert leave(project, remove_memory=True).gone == ()


def test_a_plugin_that_its_agent_cli_cannot_take_out_is_told_with_what_does(tmp_path: Path) -> None:
    project = made(tmp_path)
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"enabledPlugins": {"agentx@agentx": True}}))

    (left,) = leave(project).left

    assert "claude plugin uninstall agentx@agentx" in left.mend


def test_what_belongs_to_a_repository_is_left_to_it(tmp_path: Path) -> None:
    project = made(tmp_path)
    (project.paths.issues).mkdir(parents=True)
    (project.paths.issues / "1.json").write_text("{}")
    project.paths.runs.mkdir(parents=True)

    kept = leave(project)
    reply = leave(project, remove_memory=True)

    assert kept.left == ()
    assert [Path(each.path).name for each in reply.left] == [".agentx", ".agent-memory"]
    assert not any(each.is_fault for each in reply.left)


def test_a_home_is_no_project_of_its_own(tmp_path: Path) -> None:
    project = made(tmp_path)
    wanted = Setup(
        harness=Harness.CLAUDE_CODE, project_root=tmp_path / "home", scope=SetupScope.PROJECT
    )

    with pytest.raises(InvalidValue, match="your home is no project"):
        setup(setup_inputs(project), wanted)


@pytest.mark.parametrize("with_git", [True, False])
def test_a_dry_run_tells_what_then_happens_and_only_ours_goes_out_of_a_project(
    tmp_path: Path, with_git: bool
) -> None:
    if with_git:
        subprocess.run(["git", "init", "-q", str(tmp_path / "shop")], check=True)
    project = made(tmp_path)
    claim_private(project)
    replace_file(project.paths.ignore_file, IGNORE_RULES.encode())
    project.paths.observations.mkdir()
    (project.paths.observations / "1.jsonl").write_text("{}")
    remember(project)

    kept = leave(project)
    assert project.paths.own.exists()
    assert not any(each.path.startswith(str(project.paths.own)) for each in kept.gone)
    plan = leave(project, remove_memory=True, dry_run=True)
    reply = leave(project, remove_memory=True)

    assert reply.gone == plan.gone
    assert reply.left == plan.left == ()
    assert not project.paths.own.exists()
    assert not project.trust.marker_path.exists()


def test_what_a_user_put_beside_the_memory_stays(tmp_path: Path) -> None:
    project = made(tmp_path)
    claim_private(project)
    project.paths.observations.mkdir(parents=True)
    (project.paths.own / "mine").symlink_to(tmp_path)

    plan = leave(project, remove_memory=True, dry_run=True)
    reply = leave(project, remove_memory=True)

    assert reply.gone == plan.gone
    assert (project.paths.own / "mine").is_symlink()
    assert not project.paths.observations.exists()
    assert [each.path for each in reply.left] == [str(project.paths.own)]
