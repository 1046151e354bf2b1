"""Goal: setting up says whose sessions are captured, begins no store, and proves that hooks work.

Method: the real operations and the real hook on a temporary home, for all five agent CLIs.
"""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from agentx.adapters.port import SetupScope
from agentx.adapters.registry import ADAPTERS
from agentx.adapters.settings.file import HOOK_PROGRAM
from agentx.kernel.capture import Harness
from agentx.kernel.errors import ConflictError
from agentx.memory.port import Memory
from agentx.operations.setup.init import InitReply, InitRequest, init
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.installed import list_differing, list_installed
from agentx.operations.setup.programs.live import try_hooks
from agentx.operations.setup.seen_by_git import SeenByGit, look_at_git
from agentx.operations.setup.setup import Setup, setup
from agentx.operations.upkeep.asking import check_hooks
from agentx.operations.upkeep.health import Health
from agentx.operations.upkeep.status import status
from agentx.project.config import read_environment
from agentx.project.exclusion import exclude
from agentx.project.project import Project, open_project
from agentx.surfaces.cli.commands.begin.changes import draw_seen
from agentx.wiring.memory import open_store

ALL = tuple(ADAPTERS)


def made(root: Path) -> Project:
    """Return the project of a user with a home below a folder."""
    (root / "shop").mkdir(parents=True)
    known = {"HOME": str(root / "home"), "PATH": "/usr/bin:/bin"}
    known["AGENTX_SPARE_SPOOL"] = str(root / "spare")
    return open_project(root / "shop", read_environment(known))


def list_all(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def begin(project: Project, **asked: object) -> InitReply:
    """Set a project up where nobody may open a store."""

    def refuse() -> Memory:
        raise AssertionError("a store was opened")

    request = InitRequest(harnesses=ALL, **asked)  # type: ignore[arg-type]  # the test's own keywords
    return init(project, refuse, setup_inputs(project), request)


def test_a_dry_run_changes_nothing_and_tells_every_file_in_few_words(tmp_path: Path) -> None:
    project = made(tmp_path)
    before = list_all(tmp_path)

    reply = begin(project, dry_run=True, exclude=("/srv",))

    assert list_all(tmp_path) == before
    said = {file.path.name: file.says for one in reply.setups for file in one.files}
    assert said["settings.json"] == "+ 7 hooks, + MCP server (new)"
    assert said["agentx.js"] == "+ plugin (new)"
    assert reply.is_changed
    assert reply.live is None


def test_where_there_is_no_history_no_store_is_begun(tmp_path: Path) -> None:
    project = made(tmp_path)

    reply = begin(project)

    assert reply.imported is None
    assert not project.store.root.exists()
    assert not project.data.spools.exists()
    assert {path.name for path in project.data.root.iterdir()} == {"bin", "trust"}
    assert reply.live is not None
    assert [one.harness for one in reply.live.trials] == list(ALL)
    assert reply.live.arrived


def test_what_is_excluded_is_so_before_anything_else_and_the_check_says_so(tmp_path: Path) -> None:
    project = made(tmp_path)

    reply = begin(project, exclude=(".",))

    assert str(project.root) in reply.excluded
    assert reply.live is not None
    assert reply.live.is_excluded
    assert not reply.live.is_wrong
    assert "excluded" in reply.live.says


def test_one_project_alone_is_refused_where_every_repository_is_captured(tmp_path: Path) -> None:
    project = made(tmp_path)
    begin(project)
    before = list_all(project.root)

    with pytest.raises(ConflictError, match="every repository is captured already"):
        begin(project, scope=SetupScope.PROJECT)
    assert list_all(project.root) == before


def test_one_project_alone_leaves_the_home_of_agent_clis_as_it_was(tmp_path: Path) -> None:
    project = made(tmp_path)

    reply = begin(project, scope=SetupScope.PROJECT)

    assert reply.live is not None
    assert reply.live.arrived
    assert [path.name for path in (tmp_path / "home").iterdir()] == [".local"]


@pytest.mark.parametrize("scope", SetupScope)
@pytest.mark.parametrize("harness", Harness)
def test_a_test_event_goes_through_the_line_in_the_settings_and_leaves_nothing(
    tmp_path: Path, harness: Harness, scope: SetupScope
) -> None:
    project = made(tmp_path)
    inputs = setup_inputs(project)
    setup(inputs, Setup(harness=harness, project_root=project.root, scope=scope))
    before = list_all(tmp_path)

    reply = try_hooks(project, inputs)

    assert [(one.harness, one.arrived, one.says) for one in reply.trials] == [(harness, True, "")]
    assert list_all(tmp_path) == before


@pytest.mark.parametrize(
    ("launcher", "says"),
    [
        ("#!/bin/sh\ncat >/dev/null\n", "nothing arrived"),
        ("#!/bin/sh\necho no such luck >&2; exit 3\n", "the hook ended with 3: no such luck"),
        ("", "the hook ended with 127"),
    ],
)
def test_a_hook_that_does_not_work_is_told(tmp_path: Path, launcher: str, says: str) -> None:
    project = made(tmp_path)
    inputs = setup_inputs(project)
    setup(inputs, Setup(harness=Harness.CODEX, project_root=project.root))
    project.data.launcher.unlink()
    if launcher:
        project.data.launcher.write_text(launcher)
        project.data.launcher.chmod(0o700)

    (trial,) = try_hooks(project, inputs).trials

    assert not trial.arrived
    assert says in trial.says


def test_hooks_that_are_switched_off_are_told_beside_the_event_that_arrived(tmp_path: Path) -> None:
    project = made(tmp_path)
    inputs = setup_inputs(project)
    settings = tmp_path / "home" / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"disableAllHooks": true}')
    setup(inputs, Setup(harness=Harness.CLAUDE_CODE, project_root=project.root))
    setup(inputs, Setup(harness=Harness.CODEX, project_root=project.root))

    claude, codex = try_hooks(project, inputs).trials

    assert claude.arrived
    assert "disableAllHooks is set" in claude.unsure
    assert "until you trust them" in codex.unsure


@pytest.mark.parametrize(
    ("harness", "file", "says"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
        ("gemini", ".gemini/settings.json", '{"hooksConfig": {"disabled": ["agentx"]}}'),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
    ],
)
def test_all_is_not_well_where_the_hooks_are_switched_off(
    tmp_path: Path, harness: str, file: str, says: str
) -> None:
    project = made(tmp_path)
    inputs = setup_inputs(project)
    settings = tmp_path / "home" / file
    settings.parent.mkdir(parents=True)
    settings.write_text(says)
    setup(inputs, Setup(harness=Harness(harness), project_root=project.root))

    (check,) = check_hooks(project, inputs)

    assert check.health is Health.WRONG
    assert "no hook runs until" in check.says
    assert str(settings) in check.says


@pytest.mark.parametrize("harness", ["claude-code", "gemini", "opencode"])
def test_hooks_that_are_not_as_this_version_has_them_are_not_called_missing(
    tmp_path: Path, harness: str
) -> None:
    project = made(tmp_path)
    inputs = setup_inputs(project)
    wanted = Setup(harness=Harness(harness), project_root=project.root)
    reply = setup(inputs, wanted)
    file = next(each.path for each in reply.files if HOOK_PROGRAM in each.path.read_text())
    text = file.read_text()
    changed = text.replace("SessionStart", "SessionBegan") if harness != "opencode" else text + "//"
    file.write_text(changed)

    assert list_installed(project, inputs) == ()
    assert list_differing(project, inputs) == (harness,)
    (check,) = check_hooks(project, inputs)
    assert "not as this version has them" in check.says
    with open_store(project) as memory:
        for _ in range(2):  # as it is found, and as it was noted
            found = status(project, memory)
            assert (found.hooks, found.hooks_differing) == ((), (harness,))

        setup(inputs, wanted)
        found = status(project, memory)
        assert (found.hooks, found.hooks_differing) == ((harness,), ())


def test_without_hooks_and_where_nothing_is_captured_no_event_is_sent(tmp_path: Path) -> None:
    project = made(tmp_path)
    inputs = setup_inputs(project)

    assert "agentx init" in try_hooks(project, inputs).says
    assert try_hooks(project, inputs).is_wrong
    exclude(project.data, str(project.root), here=project.root)
    assert not try_hooks(project, inputs).is_wrong


def test_what_arrives_where_the_data_folder_takes_nothing_is_not_called_well(
    tmp_path: Path,
) -> None:
    project = made(tmp_path)
    inputs = setup_inputs(project)
    setup(inputs, Setup(harness=Harness.GEMINI, project_root=project.root))
    project.data.spools.write_text("")

    (trial,) = try_hooks(project, inputs).trials

    assert "the data folder takes nothing" in trial.says
    assert not list((tmp_path / "spare").rglob("*.evt"))


def test_a_project_that_cannot_be_written_is_told_and_hooks_are_installed(tmp_path: Path) -> None:
    project = made(tmp_path)
    project.paths.own.write_text("a file where a folder belongs")

    reply = begin(project)

    assert [one.harness for one in reply.failures] == ["this project"]
    assert len(reply.setups) == len(ALL)
    assert reply.live is not None
    assert reply.live.arrived


def test_a_folder_that_cannot_be_written_is_told_with_what_is_in_place(tmp_path: Path) -> None:
    project = made(tmp_path)
    project.paths.own.write_text("in the way", encoding="utf-8")

    reply = begin(project)

    (failure,) = reply.failures
    assert failure.harness == "this project"
    assert str(project.paths.own) in failure.message
    assert "the hooks above are in place" in failure.message
    assert "nothing was changed" not in failure.message
    assert reply.is_changed


def test_what_git_shows_of_files_for_one_project_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    repository = git_in(folder)
    (folder / ".mcp.json").write_text("{}\n", encoding="utf-8")
    (folder / ".gitignore").write_text(".codex/\n", encoding="utf-8")
    repository("add", "-A")
    repository("commit", "-q", "-m", "begin")
    known = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    project = open_project(folder, read_environment(known))
    asked = (Harness.CLAUDE_CODE, Harness.CODEX)
    wishes = [Setup(harness=one, project_root=folder, scope=SetupScope.PROJECT) for one in asked]
    replies = [setup(setup_inputs(project), wish) for wish in wishes]

    seen = look_at_git(project, replies)

    assert any(name.startswith(".claude/") for name in seen.new)
    assert not any(name.startswith(".codex/") for name in seen.new)
    assert seen.tracked == (".mcp.json",)
    assert look_at_git(made(tmp_path / "elsewhere"), replies) == SeenByGit()
    screen = Console(file=io.StringIO(), width=80)
    draw_seen(screen, seen)
    said = screen.file.getvalue()  # type: ignore[attr-defined]  # it is a text here
    assert "info/exclude" in said
    assert "git tracks .mcp.json" in said


def git_in(folder: Path) -> Callable[..., None]:
    """Return git in a new repository."""
    who = ("-c", "user.name=Mira", "-c", "user.email=mira@example.org")

    def run(*words: str) -> None:
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)

    run("init", "-q")
    return run
