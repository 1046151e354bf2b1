"""Runs that are kept on a branch of their own, for tests."""

from __future__ import annotations

from pathlib import Path

from agentx.host.git.own_branch import OwnBranch
from agentx.kernel.paths import StorePaths
from agentx.runs.settings import BRANCH
from agentx.runs.store.git_exchange import RunExchange, find_remote
from agentx.runs.store.kept.branch import KeptBranch
from agentx.runs.store.kept.notes import KeptNotes
from agentx.runs.store.run_store import RunStore
from tests.support.repository import git
from tests.support.run_stories import Team, happening


def open_kept(
    runs: RunStore, data: Path, *, wanted: str = "auto", said: bool = False
) -> KeptBranch:
    """Return the branch that keeps the runs of a checkout."""
    root = runs.paths.project.root
    return KeptBranch(
        runs.paths.project,
        OwnBranch(root, root / ".git", BRANCH),
        KeptNotes(StorePaths(data).run_branch(root)),
        runs.clock,
        wanted=wanted,
        may_take_in=lambda: said,
    )


class Kept(Team):
    """A team whose runs are kept on a branch."""

    def __init__(
        self, root: Path, store: Path, *, wanted: str = "auto", said: bool = False, seed: int = 0
    ) -> None:
        super().__init__(root, store, seed=seed)
        self.store.kept = open_kept(self.store, store, wanted=wanted, said=said)

    def tell(self, run: str, text: str = "on") -> tuple[str, ...]:
        """Say something of a run; return what is remarked."""
        self.clock.advance(1_000)
        return self.runs.say(run, happening("note", text=text)).remarks

    def kept(self) -> list[str]:
        found = git(self.root, "ls-tree", "-r", "--name-only", BRANCH).splitlines()
        return [name for name in found if name.endswith((".jsonl", ".tar.gz"))]

    def exchange(self) -> None:
        """Take in what the remote has, and push."""
        exchange = RunExchange(self.store, find_remote(self.root), lambda: True)
        for _ in range(5):
            exchange.take_in()
            if not exchange.is_ahead() or exchange.push():
                return
        raise AssertionError("never pushed")
