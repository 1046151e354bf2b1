"""Goal: whoever goes on for long, or left something prepared, sees that settings were changed.

Method: a project in a home of its own, whose files of settings are written one after the other.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.kernel.places import are_changed
from agentx.project.config import read_environment
from agentx.project.project import follow_settings, open_project


@pytest.mark.parametrize("whose", ["user", "project", "repository"])
def test_a_file_of_settings_that_was_changed_is_seen_until_it_is_followed(
    tmp_path: Path, whose: str
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    project = open_project(folder, read_environment({"HOME": str(tmp_path / "home")}))
    environment = project.environment
    path = {
        "user": environment.user_settings,
        "project": environment.settings_here(project.identity.natural),
        "repository": project.paths.settings,
    }[whose]
    assert not are_changed(project.config.stamp)

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[recall]\n", encoding="utf-8")

    assert are_changed(project.config.stamp)
    assert not are_changed(follow_settings(project).config.stamp)
