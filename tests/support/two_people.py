"""Two people with a clone each of one bare remote, who work on one run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agentx.operations.runs.saying import Saying
from agentx.operations.runs.sync import Exchanged, sync_runs
from agentx.operations.runs.write import add_task, start_run, task_step
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.model import Contract, Run, RunEvent, Task
from agentx.runs.taking.claim_work import ClaimWork, WantedClaim
from agentx.wiring.runs import open_runs
from tests.support.repository import git
from tests.support.run_clones import Clones
from tests.support.time_and_chance import FakeClock

PERSON = WhoCalls(via=Via.TERMINAL)
FIRST, SECOND = "TASK-001", "TASK-002"


class Two:
    """Two people with a clone each, and a run with two tasks that both have."""

    def __init__(self, folder: Path) -> None:
        self.clones = Clones(folder)
        self.clock = FakeClock()
        self.one, self.two = (self._clone(name) for name in ("anna", "bert"))
        self.run_id = start_run(self.one, "shared", actor="orchestrator").id
        for project, title in ((self.one, "first"), (self.two, "second")):
            if title == "second":
                self.sync(project)
            add_task(project, Saying(), Contract(title=title))
            self.sync(project)
        self.sync(self.one)

    def _clone(self, name: str) -> Project:
        made = self.clones.clone(name)
        git(made.root, "config", "user.name", name)
        git(made.root, "config", "user.email", f"{name}@example.org")
        return replace(made, clock=self.clock)

    def sync(self, project: Project) -> Exchanged:
        self.clock.advance(1_000)
        return sync_runs(project, agrees=lambda _where: True, caller=PERSON)

    def start(self, project: Project, task: str = FIRST) -> tuple[str, ...]:
        self.clock.advance(1_000)
        return task_step(project, Saying(task=task), "task-started", {}).remarks

    def look(self, project: Project, task: str = FIRST) -> tuple[Run, Task]:
        run, _ = open_runs(project).run(self.run_id)
        return run, run.tasks[task]

    def holder(self, project: Project, task: str = FIRST) -> str:
        claim = self.look(project, task)[1].settled.claim
        return "" if claim is None else claim.person

    def claim_unpushed(self, work: ClaimWork, task: str = FIRST) -> RunEvent:
        wanted = WantedClaim(run_id=self.run_id, task=task, actor="executor", is_shared=True)
        return work.claim(wanted).added[0]

    def go_offline(self) -> None:
        self.clones.remote.rename(self.clones.folder / "away.git")

    def go_online(self) -> None:
        (self.clones.folder / "away.git").rename(self.clones.remote)
