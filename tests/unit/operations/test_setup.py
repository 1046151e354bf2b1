"""Goal: one verb adds AgentX to an agent CLI and takes it out, and says what it did.

Method: the real operation on a temporary home, for all five agent CLIs.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.adapters.port import SetupScope
from agentx.adapters.registry import ADAPTERS, adapter_for
from agentx.kernel.capture import Harness
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.paths import DataPaths
from agentx.operations.setup.programs.mcp_launcher import command_text
from agentx.operations.setup.setup import Setup, SetupInputs, detect, setup
from tests.support.setup_requests import homes_in
from tests.support.time_and_chance import FakeClock

LAUNCHER = "#!/bin/sh\nexec python3 hook.py\n"
COMMAND = command_text(
    "/opt/it's here/python", {"XDG_DATA_HOME": "/my data", "XDG_CACHE_HOME": "/c"}
)


@pytest.fixture(name="inputs")
def _inputs(tmp_path: Path) -> SetupInputs:
    return SetupInputs(
        homes=homes_in(tmp_path / "home"),
        data=DataPaths(tmp_path / "data"),
        clock=FakeClock(),
        launcher_text=LAUNCHER,
        command_text=COMMAND,
        mcp_command=(str(DataPaths(tmp_path / "data").command), "mcp"),
    )


def request_for(tmp_path: Path, harness: Harness, **more: object) -> Setup:
    return Setup(harness=harness, project_root=tmp_path / "project", **more)  # type: ignore[arg-type]  # the test's own keywords


def everything_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("harness", Harness)
def test_a_dry_run_shows_the_diff_and_writes_nothing(
    tmp_path: Path, inputs: SetupInputs, harness: Harness
) -> None:
    reply = setup(inputs, request_for(tmp_path, harness, dry_run=True))

    assert reply.is_changed
    assert "agentx-hook" in "".join(file.diff for file in reply.files)
    assert everything_in(tmp_path) == []


@pytest.mark.parametrize("harness", [Harness.CLAUDE_CODE, Harness.CODEX, Harness.GEMINI])
@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_file_that_was_there_blank_is_left_blank(
    tmp_path: Path, inputs: SetupInputs, harness: Harness, blank: str
) -> None:
    made = [file.path for file in setup(inputs, request_for(tmp_path, harness)).files]
    setup(inputs, request_for(tmp_path, harness, uninstall=True))
    assert not any(path.exists() for path in made)
    for path in made:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(blank, encoding="utf-8")

    setup(inputs, request_for(tmp_path, harness))
    setup(inputs, request_for(tmp_path, harness))
    left = setup(inputs, request_for(tmp_path, harness, uninstall=True))

    assert [path.read_text(encoding="utf-8") for path in made] == [blank] * len(made)
    assert not any("(file goes)" in file.says for file in left.files)


@pytest.mark.parametrize("harness", Harness)
@pytest.mark.parametrize("scope", SetupScope)
def test_coming_and_leaving_leaves_only_what_is_our_own(
    tmp_path: Path, inputs: SetupInputs, harness: Harness, scope: SetupScope
) -> None:
    came = setup(inputs, request_for(tmp_path, harness, scope=scope))
    again = setup(inputs, request_for(tmp_path, harness, scope=scope))
    left = setup(inputs, request_for(tmp_path, harness, scope=scope, uninstall=True))

    assert came.is_changed
    assert not again.is_changed
    assert left.is_changed
    assert all(file.backup and file.backup.exists() for file in left.files if file.changed)
    outside = [p for p in everything_in(tmp_path) if inputs.data.root not in p.parents]
    assert outside == []


def test_the_hook_that_settings_name_is_there_and_can_be_run(
    tmp_path: Path, inputs: SetupInputs
) -> None:
    setup(inputs, request_for(tmp_path, Harness.CLAUDE_CODE))

    launcher = inputs.data.launcher
    settings = json.loads((inputs.homes.claude_code / "settings.json").read_text())
    (group,) = settings["hooks"]["SessionStart"]
    assert group["hooks"][0]["command"] == f"{launcher} --harness claude-code"
    assert launcher.read_text() == LAUNCHER
    assert launcher.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("harness", Harness)
def test_the_server_that_settings_name_is_there_and_stays_where_it_is(
    tmp_path: Path, inputs: SetupInputs, harness: Harness
) -> None:
    setup(inputs, request_for(tmp_path, harness))
    command = inputs.data.command
    named = [path for path in everything_in(tmp_path) if str(command) in path.read_text()]
    before = {path: path.read_text() for path in named}
    newer = replace(inputs, command_text=COMMAND.replace("/opt/", "/new/"))
    setup(newer, request_for(tmp_path, harness))

    assert before, "no settings file names the server"
    assert {path: path.read_text() for path in named} == before
    assert command.read_text() == newer.command_text
    assert command.stat().st_mode & 0o777 == 0o700


def test_the_command_knows_the_users_folders_without_an_environment(tmp_path: Path) -> None:
    python = tmp_path / "it's python"
    python.write_text('#!/bin/sh\necho "$XDG_DATA_HOME" "$@"\n')
    python.chmod(0o700)
    launcher = tmp_path / "agentx"
    launcher.write_text(command_text(str(python), {"XDG_DATA_HOME": "/my data"}))
    launcher.chmod(0o700)

    def ran(*words: str) -> str:
        done = subprocess.run(
            [launcher, *words], env={}, capture_output=True, text=True, check=True
        )
        return done.stdout

    assert ran("mcp") == "/my data -P -m agentx.surfaces.mcp\n"
    assert ran("mcp", "--json") == "/my data -P -m agentx.surfaces.cli.main mcp --json\n"
    python.unlink()
    with pytest.raises(subprocess.CalledProcessError) as failure:
        ran("mcp")
    assert "run `agentx setup` again" in failure.value.stderr


def test_a_launcher_of_another_version_is_replaced(tmp_path: Path, inputs: SetupInputs) -> None:
    inputs.data.launcher.parent.mkdir(parents=True)
    inputs.data.launcher.write_text("old")

    setup(inputs, request_for(tmp_path, Harness.CODEX))

    assert inputs.data.launcher.read_text() == LAUNCHER


def test_a_damaged_settings_file_leaves_everything_as_it_was(
    tmp_path: Path, inputs: SetupInputs
) -> None:
    settings = inputs.homes.gemini / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{ broken")

    with pytest.raises(CorruptRecord, match=r"settings\.json: line 1"):
        setup(inputs, request_for(tmp_path, Harness.GEMINI))

    assert everything_in(tmp_path) == [settings]
    assert settings.read_text() == "{ broken"


def test_a_file_of_the_project_may_be_read_by_those_who_share_it(
    tmp_path: Path, inputs: SetupInputs
) -> None:
    reply = setup(inputs, request_for(tmp_path, Harness.COPILOT, scope=SetupScope.PROJECT))

    assert {file.path.stat().st_mode & 0o777 for file in reply.files} == {0o644}


def test_agent_clis_are_found_by_their_command_or_by_what_they_left(tmp_path: Path) -> None:
    homes = homes_in(tmp_path)

    assert detect(homes, lambda _: None) == ()
    assert detect(homes, lambda name: "/usr/bin/codex" if name == "codex" else None) == (
        Harness.CODEX,
    )


def test_every_agent_cli_is_in_the_table_once() -> None:
    assert tuple(ADAPTERS) == tuple(Harness)
    assert adapter_for("gemini") is ADAPTERS[Harness.GEMINI]
    assert adapter_for("unknown") is None
    assert {a.harness for a in ADAPTERS.values() if a.keeps_transcripts_days == 30} == {
        Harness.CLAUDE_CODE,
        Harness.GEMINI,
    }
