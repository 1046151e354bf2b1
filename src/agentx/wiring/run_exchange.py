"""The branch of a project's runs and that of a remote, brought together."""

from __future__ import annotations

from agentx.host.git.facts import strip_credentials
from agentx.kernel.errors import ConflictError, StaleVersion
from agentx.project.project import Project
from agentx.runs.settings import BRANCH
from agentx.runs.store.git_exchange import Remote, fetch, find_remote, push, take_in
from agentx.runs.store.kept.branch import KeptBranch
from agentx.runs.store.run_store import RunStore
from agentx.wiring.runs import may_git_run_all, open_run_store

_AGREED = "pushes_to"


def open_exchange(project: Project, remote: str = "") -> RunExchange | None:
    """Return the exchange with a remote; None where runs are committed with the code.

    Raises: NotFound, InvalidValue; ConflictError for a repository that is not trusted.
    """
    store = open_run_store(project)
    kept = store.kept
    if kept is None or not kept.is_to_be():
        return None
    if not may_git_run_all(project):
        raise ConflictError(
            f"{project.root} is not trusted: git would run what its settings name",
            hint="look at them, then say `agentx trust`",
        )
    return RunExchange(project, store, kept, find_remote(project.root, remote))


class RunExchange:
    """One exchange with a remote."""

    def __init__(self, project: Project, store: RunStore, kept: KeptBranch, remote: Remote) -> None:
        self._project = project
        self._store = store
        self._kept = kept
        self.remote = remote
        self.remarks: list[str] = list(store.bring_back())
        self._theirs = ""

    @property
    def shown_url(self) -> str:
        """Where the remote is, without any credentials."""
        return strip_credentials(self.remote.url)

    def find_tip(self) -> str:
        """Return where the branch is here."""
        return self._kept.branch.find_tip()

    def take_in(self) -> tuple[str, ...]:
        """Commit what is here, fetch, and join both; return the runs that are others now.

        Raises: UnavailableError, ConflictError, DataError.
        """
        self.remarks += (each for each in self._kept.commit() if each not in self.remarks)
        theirs = self._theirs = fetch(self._kept, self._project.root, self.remote)
        mine, branch = self.find_tip(), self._kept.branch
        if not theirs or theirs == mine or (mine and branch.is_ancestor(theirs, mine)):
            return ()
        self._check_theirs(theirs)
        runs = take_in(self._store, self._kept, theirs)
        if not mine or branch.is_ancestor(mine, theirs):
            try:
                self._kept.follow(theirs)
            except StaleVersion:
                return (*runs, *self.take_in())
            told = self._kept.commit(*runs)
        else:
            told = self._kept.commit(*runs, other=theirs)
        if told:
            raise ConflictError(told[0])
        return runs

    def _check_theirs(self, theirs: str) -> None:
        """See that what the remote has is runs, and that a person trusts the repository.

        Raises: ConflictError.
        """
        if not self._kept.looks_ours(theirs):
            raise ConflictError(
                f"{self.remote.name}/{BRANCH} holds other files than AgentX keeps there",
                hint="somebody uses that name for something else: nothing was taken in or pushed",
            )
        if not self._project.trust.was_said:
            raise ConflictError(
                f"{self.remote.name}/{BRANCH} holds what was not written here",
                hint="look at it, then say `agentx trust`",
            )

    def is_ahead(self) -> bool:
        """Tell whether the remote lacks something."""
        mine = self.find_tip()
        return bool(mine) and mine != self._theirs

    def is_agreed(self) -> bool:
        """Tell whether a person agreed to pushing there."""
        return self.shown_url in self._kept.notes.read().get(_AGREED, {})

    def agree(self, at: str) -> None:
        """Note that a person agreed to pushing there.

        Raises: LockHeld, CorruptRecord, UnavailableError.
        """
        with self._kept.notes.editing(self._project.clock) as note:
            note.setdefault(_AGREED, {})[self.shown_url] = at

    def push(self) -> bool:
        """Push; False where somebody else was first.

        Raises: UnavailableError.
        """
        return push(self._kept, self._project.root, self.remote)
