"""A run that is driven in this process: agents are functions that are given an ask and a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentx.agents.driving.plan import PlannedTask
from agentx.agents.runners.port import Ask, Reply
from agentx.llm.port import Usage
from agentx.operations.driving import beginning, planning, turns
from agentx.operations.driving.asked import Driven, DriveNews, DriveRequest, NewsOf, Tell
from agentx.operations.driving.beginning import begin_run
from agentx.operations.driving.drive import drive
from agentx.project.project import Project
from agentx.runs.model import Run, RunEvent
from agentx.wiring.runs import open_runs
from tests.support.repository import git
from tests.support.run_clones import Clones

DONE = "STATUS: done\nSUMMARY: did it"
Plays = Callable[[Ask, Path], str | Reply]


def write_file(_ask: Ask, folder: Path) -> str:
    """Do what most agents do here: leave a file, and say so."""
    (folder / "made.txt").write_text("made\n")
    return DONE


class _Agent:
    """An agent CLI whose part a function plays."""

    def __init__(self, name: str, folder: Path, plays: Plays) -> None:
        self.name = name
        self._folder = folder
        self._plays = plays

    def program(self) -> str:
        return "/bin/true"

    def run(self, ask: Ask) -> Reply:
        said = self._plays(ask, self._folder)
        if isinstance(said, Reply):
            return said
        usage = Usage(input_tokens=1_000, output_tokens=100)
        return Reply(answer=said, text=said, runner=self.name, model="claude-haiku", usage=usage)


class Stage:
    """A project with agents, and what a driver tells of it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, **variables: str) -> None:
        self.clones = Clones(folder)
        self.project = self.clones.clone("anna", **variables)  # type: ignore[arg-type]  # all are texts
        git(self.project.root, "config", "user.name", "anna")
        git(self.project.root, "config", "user.email", "anna@example.org")
        self.told: list[DriveNews] = []
        self.asks: list[Ask] = []
        self.plays: Plays = write_file
        self.act(patch)

    def act(self, patch: pytest.MonkeyPatch) -> None:
        """Play the agents that are driven from now on."""
        for module in (beginning, planning, turns):
            patch.setattr(module, "runner_in_lane", self._cast)

    def _cast(self, _project: Project, name: str, folder: Path, *, model: str = "") -> _Agent:
        def play(ask: Ask, where: Path) -> str | Reply:
            self.asks.append(ask)
            return self.plays(ask, where)

        return _Agent(name, folder, play)

    def drive(
        self,
        *titles: str,
        checks: Iterable[str] = ("true",),
        project: Project | None = None,
        tell: Tell | None = None,
        **more: Any,
    ) -> Driven:
        """Begin a run with tasks that wait for nothing, or go on with the one there is."""
        tasks = tuple(PlannedTask(id=f"t{at}", title=each) for at, each in enumerate(titles))
        asked = DriveRequest(runners=("claude-code",), waits=False)
        if titles:
            asked = replace(asked, title="A run", plan=tasks)
        if titles or "title" in more:
            asked = replace(asked, checks=tuple(checks))
        else:
            asked = replace(asked, approve=lambda _seen: True)  # whoever goes on looked at them
        where = project or self.project
        run, request = begin_run(where, replace(asked, **more))
        return drive(where, run, request, tell or self.told.append)

    @property
    def run(self) -> Run:
        """The run as it stands."""
        runs = open_runs(self.project)
        return runs.run(runs.ids()[-1])[0]

    @property
    def newest(self) -> Run:
        """The last of several runs as it stands."""
        return max(open_runs(self.project).all(), key=lambda run: run.created_ms)

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """What was recorded of it."""
        return tuple(open_runs(self.project).events(self.run.id))

    def texts(self, doing: NewsOf) -> list[str]:
        """Return what was told of something."""
        return [news.text for news in self.told if news.doing is doing]

    def folder(self, lane: str) -> Path:
        """Return where a lane is worked on."""
        return open_runs(self.project).git.folder(self.run.id, lane)
