"""One run, two clones of one bare remote, real git."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentx.runs.model import Run
from tests.support.kept_runs import Kept
from tests.support.repository import bare_remote, commit, git
from tests.support.run_stories import Team

ACTOR = "executor"


class Pair:
    """Two clones of one bare remote, and a run with two tasks that both know."""

    def __init__(self, folder: Path, make: Callable[..., Team] = Team) -> None:
        self.remote = bare_remote(folder / "remote.git", a_py="one = 1\n")
        teams = []
        for number, name in enumerate(("one", "two"), start=1):
            git(folder, "clone", "-q", str(self.remote), name)
            for key, value in (("user.name", name), ("user.email", f"{name}@example.org")):
                git(folder / name, "config", key, value)
            teams.append(make(folder / name, folder / f"store-{name}", seed=number))
        self.one, self.two = teams
        self.run_id = self.one.runs.start("one run, two clones").id
        for task in ("TASK-001", "TASK-002"):
            self.one.says(self.run_id, "task-added", task=task, title=f"do {task}")
        self.share(self.one)
        self.share(self.two)

    def share(self, team: Team, *branches: str) -> None:
        """Commit the run's memory, exchange it with the remote, push some of the run's branches."""
        if isinstance(team, Kept):
            team.exchange()
        else:
            commit(team.root, "memory")
            git(team.root, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
            git(team.root, "push", "-q", "origin", "main")
        for branch in branches:
            git(team.root, "push", "-q", "origin", f"agent/{self.run_id}/{branch}")

    def work_in_lane(self, team: Team, task: str, **files: str) -> str:
        """Open a lane, commit something there, merge it; return its name."""
        opened = team.lanes.open(self.run_id, actor=ACTOR, task=task)
        assert opened.lane is not None
        commit(Path(opened.folder), task, **files)
        team.lanes.merge(self.run_id, opened.lane.id, actor=ACTOR)
        return opened.lane.id

    def look(self, team: Team) -> Run:
        return team.runs.run(self.run_id)[0]

    def list_files(self, team: Team) -> set[str]:
        work = f"agent/{self.run_id}/work"
        return set(git(team.root, "ls-tree", "-r", "--name-only", work).splitlines())
