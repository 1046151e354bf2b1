"""Goal: one order decides which role is played, for every way it can be said.

Method: a project and notes made by the test; every place says another role, then one falls away
after the other.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.errors import InvalidValue
from agentx.kernel.places import settle_role_name
from agentx.operations.agents.playing import (
    clear_played,
    name_session,
    require_session,
    set_played,
    show_played,
)
from agentx.operations.setup.settings import SettingPlace, list_settings, set_setting
from agentx.project.config import ROLE_KEY, read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles.of_session import set_session_role
from agentx.project.roles.played import (
    SessionName,
    decide_role,
    find_own_session,
    require_role,
)
from agentx.project.settlement import is_settled, read_noted_role, settle
from agentx.wiring.memory import open_store

OWN = SessionName(harness="codex", session_id="t-1")
OTHER = SessionName(harness="claude-code", session_id="s-1")


def project_in(root: Path, **said: str) -> Project:
    folder = root / "shop"
    folder.mkdir(exist_ok=True)
    variables = {"HOME": str(root / "home"), "PATH": "", "TZ": "UTC", **said}
    return open_project(folder, read_environment(variables))


def configure(project: Project, role: str, place: SettingPlace) -> None:
    set_setting(project.environment, project.directory, ROLE_KEY, role, place)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("PM", "product-manager"),
        (" UX Designer\n", "ux-designer"),
        ("data_scientist", "data-scientist"),
        ("our own", "our-own"),
        ("", ""),
        ("\n", ""),
    ],
)
def test_a_role_has_one_name_however_it_is_written(said: str, meant: str) -> None:
    assert settle_role_name(said) == meant


def test_every_place_is_asked_in_one_order(tmp_path: Path) -> None:
    start = project_in(tmp_path)
    configure(start, "tester", SettingPlace.USER)
    configure(start, "reviewer", SettingPlace.FITTING)
    set_session_role(start.data, OWN, "engineer", start.clock)
    own = {"CODEX_THREAD_ID": "t-1"}

    def decide(said: str = "", **variables: str) -> tuple[str, str]:
        found = decide_role(project_in(tmp_path, **variables), said)
        return found.role, Path(found.source).name

    assert decide("pm", AGENTX_AGENT="architect", **own) == ("product-manager", "option")
    assert decide(AGENTX_AGENT="architect", **own) == ("architect", "environment")
    assert decide(**own) == ("engineer", "session")
    assert decide() == ("reviewer", "config.toml")
    configure(start, "architect", SettingPlace.HERE)
    assert decide() == ("architect", f"{start.identity.natural}.toml")
    for nothing in ("none", " None "):
        assert decide(nothing) == ("", "option")
        assert decide(AGENTX_AGENT=nothing, **own) == ("", "environment")
    configure(start, "none", SettingPlace.HERE)
    assert decide()[0] == ""
    assert decide(**own) == ("engineer", "session")


def test_a_role_that_is_set_for_a_session_is_no_other_sessions(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    set_session_role(project.data, OTHER, "tester", project.clock)

    assert decide_role(project, session=OTHER).role == "tester"
    assert decide_role(project, session=replace(OTHER, harness="codex")).role == ""
    assert decide_role(project, session=replace(OTHER, session_id="s-10")).role == ""
    assert decide_role(project, session=replace(OTHER, session_id="../roles/x")).role == ""


def test_a_note_that_cannot_be_read_sets_no_role(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    note = OTHER.note(project.data)
    note.parent.mkdir(parents=True)
    for content in (b"\xff\xfe", b"x" * 10_000, b"\n"):
        note.write_bytes(content)
        assert decide_role(project, session=OTHER).role == ""


def test_notes_of_sessions_long_gone_are_swept_when_another_is_written(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    set_session_role(project.data, OTHER, "tester", project.clock)
    old = (project.clock.now_ms() / 1000) - 91 * 86_400
    os.utime(OTHER.note(project.data), (old, old))

    set_session_role(project.data, OWN, "engineer", project.clock)

    assert [each.name for each in project.data.roles.iterdir()] == ["codex%2Bt-1"]


def test_a_command_knows_its_session_where_just_one_agent_cli_says_so() -> None:
    assert find_own_session({"CODEX_THREAD_ID": "t-1"}) == OWN
    assert find_own_session({"CLAUDE_CODE_SESSION_ID": "s-1"}) == OTHER
    assert find_own_session({"CODEX_THREAD_ID": ""}) is None
    assert find_own_session({"CODEX_THREAD_ID": "t", "CLAUDE_CODE_SESSION_ID": "s"}) is None


def test_a_role_is_set_shown_and_taken_back_for_a_session_and_for_a_project(
    tmp_path: Path,
) -> None:
    project = project_in(tmp_path, AGENTX_AGENT="pm")

    user = project_in(tmp_path)
    with pytest.raises(InvalidValue, match="only a person"):  # no agent says who all sessions are
        set_played(project, "UX", None)
    here = set_played(user, "UX", None)
    of_session = set_played(project, "tester", OTHER)

    assert (here.role, here.changed) == ("ux-designer", True)
    assert (of_session.role, of_session.source) == ("tester", "session")
    assert show_played(project).role == "product-manager"
    assert show_played(project, of_project=True).role == "ux-designer"
    assert clear_played(project, OTHER).role == "ux-designer"
    assert not clear_played(project, OTHER).changed
    assert clear_played(user).role == ""
    assert not clear_played(user).changed


def test_config_shows_the_role_that_was_set_for_the_session_it_is_run_in(tmp_path: Path) -> None:
    project = project_in(tmp_path, CODEX_THREAD_ID="t-1")
    set_played(project, "none", OWN)

    row = next(each for each in list_settings(project) if each.key == ROLE_KEY)

    assert (row.value, row.source) == ("none", "session")


def test_what_names_no_role_or_no_session_is_refused(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    for wrong in ("nobody", "../x", ""):
        with pytest.raises(InvalidValue):
            set_played(project, wrong, OTHER)
    with pytest.raises(InvalidValue):
        configure(project, "no role!", SettingPlace.HERE)
    with pytest.raises(InvalidValue):
        require_session(project)
    with pytest.raises(InvalidValue, match="which role"):
        require_role(project, "")
    with open_store(project) as memory, pytest.raises(Exception, match="no session"):
        name_session(project, memory, "s-none")


def test_hooks_are_told_the_role_of_the_project_and_never_that_of_a_shell(tmp_path: Path) -> None:
    project = project_in(tmp_path, AGENTX_AGENT="pm")
    settle(project)
    assert (read_noted_role(project), is_settled(project)) == ("", True)

    configure(project_in(tmp_path), "tester", SettingPlace.USER)
    assert read_noted_role(project) == "tester"
    other = project_in(tmp_path)
    assert is_settled(other)
    other.environment.user_settings.write_text('[agents]\nrole = "engineer"\n', encoding="utf-8")
    assert not is_settled(project_in(tmp_path))
