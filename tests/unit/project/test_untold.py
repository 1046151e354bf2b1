"""Goal: where memory is not told it is said what, why, and how that is mended."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agentx.observations.model import Category
from agentx.recall.section.gather import Gatherer
from agentx.recall.section.sources import About
from agentx.surfaces.cli.screen import remark_untold
from agentx.wiring.observations import open_observations, prepare_observations
from agentx.wiring.section import section_sources
from tests.support.clarifying import project_at


def test_what_git_tracks_is_said_to_be_untold_and_how_to_mend_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True, timeout=60)
    project = project_at(tmp_path)
    prepare_observations(project)
    room = open_observations(project)
    room.add("Ports begin at 9090.", agent="engineer", issue=0, category=Category.KEY_FACT)
    room.settle()
    room.close()
    assert project.private.say_untold() == ""

    for words in (("add", "-f", ".agentx/memory"),):
        subprocess.run(["git", *words], cwd=folder, check=True, timeout=60)
    said = project.private.say_untold()
    assert said.startswith("Not told is what lies in .agentx/memory: git tracks it")
    assert "git rm -r --cached .agentx/memory" in said
    with section_sources(project) as sources:
        assert Gatherer(sources, tokens=500).gather(About()).say_more("x") == f"x {said}"
    remark_untold(project)
    assert said in capsys.readouterr().err

    subprocess.run(
        ["git", "rm", "-rq", "--cached", ".agentx/memory"], cwd=folder, check=True, timeout=60
    )
    assert project.private.say_untold() == ""
