"""Goal: VS Code gets what its agents ask by and two tasks, and gives all of it back.

Method: the real operations on a temporary home, with files as people have them there.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from agentx.adapters.port import EditorName, SetupScope
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.installed import NOT_ON_PATH, list_editors
from agentx.operations.setup.leaving.uninstall import LeaveReply, LeaveRequest, uninstall
from agentx.operations.setup.setup import Setup, SetupReply, setup
from agentx.operations.upkeep.asking import check_editors
from agentx.operations.upkeep.health import Health
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project

MINE = '{"version": "2.0.0", "tasks": [{"label": "AgentX: the page", "command": "firefox"}]}'


def made(root: Path, **variables: str) -> Project:
    """Return the project of a user with a home below a folder."""
    (root / "shop").mkdir(exist_ok=True)
    known = {"HOME": str(root / "home"), "PATH": "/nowhere", **variables}
    known["AGENTX_SPARE_SPOOL"] = str(root / "spare")
    return open_project(root / "shop", read_environment(known))


def change(project: Project, scope: SetupScope = SetupScope.USER, **more: bool) -> SetupReply:
    wanted = Setup(harness=EditorName.VSCODE, project_root=project.root, scope=scope, **more)
    return setup(setup_inputs(project), wanted)


def leave(project: Project) -> LeaveReply:
    asked = (project.environment, project.directory, lambda _paths: True, LeaveRequest())
    return uninstall(*asked)


def look(*folders: Path) -> dict[str, bytes | None]:
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if "agent-memory" not in str(path) and path.name not in (".local", "share")
    }


@pytest.mark.promise("setup.vscode")
@pytest.mark.parametrize("scope", SetupScope)
@pytest.mark.parametrize(
    ("servers", "tasks"),
    [
        (None, None),
        ("", "\ufeff\r\n"),
        ("{}", '{"version": "2.0.0"}'),
        ('{"servers": {}, "inputs": []}\n', '{"tasks": []}'),
        ('{\r\n\t// mine\r\n\t"servers": {\r\n\t}\r\n}', '{\n  "version": "2.0.0", // why\n}'),
    ],
)
def test_what_was_there_is_there_again(
    tmp_path: Path, scope: SetupScope, servers: str | None, tasks: str | None
) -> None:
    project = made(tmp_path)
    folders = {"user": tmp_path / "home/.config/Code/User", "project": project.root / ".vscode"}
    (tmp_path / "home" / ".config").mkdir(parents=True)
    for name, text in (("mcp.json", servers), ("tasks.json", tasks)):
        if text is not None:
            folders[scope].mkdir(parents=True, exist_ok=True)
            (folders[scope] / name).write_bytes(text.encode())
    places = tmp_path / "home", project.root
    before = look(*places)

    first, second = change(project, scope), change(project, scope)
    said = [each.says for each in first.files]
    change(project, scope, uninstall=True)

    assert (first.is_changed, second.is_changed) == (True, False)
    assert [each.removesuffix(" (new)") for each in said] == ["+ MCP server", "+ 2 tasks"]
    assert look(*places) == before


@pytest.mark.promise("setup.vscode")
def test_the_files_of_a_project_name_no_path_of_this_machine(tmp_path: Path) -> None:
    project = made(tmp_path)

    change(project, SetupScope.PROJECT)
    texts = [path.read_text() for path in (project.root / ".vscode").iterdir()]

    assert len(texts) == 2
    assert not any(str(tmp_path) in text or "/" in json.dumps(json.loads(text)) for text in texts)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("mcp.json", '{"servers": {"agentx": {"command": "npx"}}}', "does not start AgentX"),
        ("tasks.json", MINE, "line 1: a task named 'AgentX: the page'"),
        ("tasks.json", '{"version": "0.1.0", "command": "tsc"}', "not 2.0.0"),
        ("tasks.json", '{"tasks": {}}', "not a list"),
        ("tasks.json", '{"version": "2.0.0",\n "tasks": ["broken agentx', "line 2"),
        ("mcp.json", "[]", "not an object"),
    ],
)
def test_what_is_somebody_elses_stops_all_of_it(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    project = made(tmp_path)
    folder = project.root / ".vscode"
    folder.mkdir()
    (folder / name).write_text(text)

    with pytest.raises(AgentXError) as refused:
        change(project, SetupScope.PROJECT)
    told = list_editors(project, setup_inputs(project))
    change(project, SetupScope.USER)
    leave(project)

    assert says in refused.value.message
    # Of a name alone nobody knows that it would be ours; a file that cannot be read may hold ours.
    assert bool(told) == ("broken" in text)
    assert [path.name for path in folder.iterdir()] == [name]
    assert (folder / name).read_text() == text


def test_a_task_keeps_what_its_user_added_and_follows_an_installation_that_moved(
    tmp_path: Path,
) -> None:
    change(made(tmp_path, XDG_DATA_HOME=str(tmp_path / "old")))
    path = tmp_path / "home/.config/Code/User/tasks.json"
    own = path.read_text().replace('"args": [', '"group": "build", "args": [', 1)
    path.write_text(own.replace("AgentX: the page", "my page"))
    project = made(tmp_path)
    [wrong] = check_editors(project, setup_inputs(project))

    change(project)
    tasks = json.loads(path.read_text())["tasks"]
    [right] = check_editors(project, setup_inputs(project))

    assert [task["label"] for task in tasks] == [
        *("AgentX: what is ready", "my page", "AgentX: the page")
    ]
    assert tasks[0]["group"] == "build"
    assert [str(tmp_path / "old") in task["command"] for task in tasks] == [False, True, False]
    assert (wrong.health, wrong.mend) == (Health.WRONG, "agentx setup vscode")
    assert right.health is Health.GOOD
    assert "not captured" in right.says


def test_leaving_takes_a_projects_files_but_for_what_is_committed(tmp_path: Path) -> None:
    project = made(tmp_path)
    git = ["git", "-C", str(project.root), "-c", "user.name=m", "-c", "user.email=m@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    project = made(tmp_path)
    change(project, SetupScope.PROJECT)
    subprocess.run([*git, "add", ".vscode/mcp.json"], check=True)

    reply = leave(project)

    assert [path.name for path in (project.root / ".vscode").iterdir()] == ["mcp.json"]
    assert [(Path(each.path).name, each.is_fault) for each in reply.left] == [("mcp.json", False)]
    assert "committed" in reply.left[0].why


def test_every_edition_that_is_there_gets_it_and_a_served_one_no_tasks(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in (".config/Code - Insiders", ".config/VSCodium", ".vscode-server/data"):
        (home / name).mkdir(parents=True)
    project = made(tmp_path)

    change(project)
    written = {str(path.relative_to(home)) for path in home.rglob("*.json")}

    assert written == {
        ".config/Code - Insiders/User/mcp.json",
        ".config/Code - Insiders/User/tasks.json",
        ".config/VSCodium/User/mcp.json",
        ".config/VSCodium/User/tasks.json",
        ".vscode-server/data/User/mcp.json",
    }


def test_nothing_is_said_of_an_editor_that_has_nothing_of_ours(tmp_path: Path) -> None:
    project = made(tmp_path)
    folder = tmp_path / "home/.config/Code/User"
    folder.mkdir(parents=True)
    (folder / "tasks.json").write_text('{"tasks": [')

    assert list_editors(project, setup_inputs(project)) == ()

    (folder / "tasks.json").write_text('{"tasks": [{"label": "agentx')
    [check] = check_editors(project, setup_inputs(project))
    assert "line 1" in check.says
    (folder / "tasks.json").unlink()
    change(project, SetupScope.PROJECT)
    [check] = check_editors(project, setup_inputs(project))
    assert check.says.endswith(NOT_ON_PATH)
    assert check.health is Health.WRONG


def test_what_a_repository_adds_to_ours_is_named_and_vouched_for_by_nobody(tmp_path: Path) -> None:
    project = made(tmp_path, PATH=str(tmp_path))
    (tmp_path / "agentx").write_text("#!/bin/sh\n")
    (tmp_path / "agentx").chmod(0o700)
    change(project, SetupScope.PROJECT)
    [before] = check_editors(project, setup_inputs(project))
    folder = project.root / ".vscode"
    for name, ours, added in (
        ("mcp.json", '"type": "stdio"', '"envFile": "x", "env": {}, "type": "stdio"'),
        ("tasks.json", '"args": [', '"group": "build", "linux": {"command": "curl"}, "args": ['),
    ):
        (folder / name).write_text((folder / name).read_text().replace(ours, added, 1))

    reply = change(project, SetupScope.PROJECT)
    [after] = check_editors(project, setup_inputs(project))

    notes = [note for file in reply.files for note in file.notes]
    assert [note.partition(" says ")[2].partition(", which")[0] for note in notes] == [
        *("env, envFile", "linux")
    ]
    assert (before.health, after.health) == (Health.GOOD, Health.NOTE)
    assert all(str(folder / name) in after.says for name in ("mcp.json", "tasks.json"))


def test_a_path_that_vscode_would_read_otherwise_is_refused(tmp_path: Path) -> None:
    project = made(tmp_path, XDG_DATA_HOME=str(tmp_path / "${env:HOME}"))

    with pytest.raises(InvalidValue, match="in the place of"):
        change(project)
