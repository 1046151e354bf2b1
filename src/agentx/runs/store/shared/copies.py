"""Copies of lanes' branches that were made here of what another checkout pushed.

    runs/copies/<run-id>/<lane>     the commit that the copy was made of, or brought to

Who has the lane may replace its branch by force, to take something out. A copy that nothing was
added to follows then; it never is a reason to bring back what was taken out. So does the branch of
a lane that was worked on here and went back, if all of it was pushed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import is_folder, read_bytes, remove
from agentx.host.git.command import NO_HOOKS
from agentx.host.git.mending.lying import require_free
from agentx.host.git.work import checkouts, commit_of, git_done, list_changed_files
from agentx.kernel.errors import AgentXError
from agentx.runs.model import Lane, Run
from agentx.runs.paths import RunNotes
from agentx.runs.store.git_shared import list_branches
from agentx.runs.store.shared.kept_commits import keep_commit, list_lost
from agentx.runs.store.shared.replaced import Replaced, SeenBranches

_SHORT = 10


class LaneCopies:
    """The copies of lanes' branches in one repository."""

    def __init__(self, root: Path, notes: RunNotes, find_checkout: Callable[[], str]) -> None:
        self._root = root
        self._notes = notes
        self._find_checkout = find_checkout
        self.seen = SeenBranches(root, notes)

    @property
    def checkout(self) -> str:
        """This checkout, as lanes name it; empty where it has no name yet."""
        return self._find_checkout()

    def is_away(self, lane: Lane) -> bool:
        """Tell whether another checkout has a lane."""
        return lane.checkout not in ("", self.checkout)

    def note(self, run_id: str, lane: str, commit: str) -> None:
        """Note of which commit the branch of a lane was made here, or brought to."""
        path = self._notes.copy(run_id, lane)
        with suppress(AgentXError, OSError):  # without a note it counts as somebody's work
            make_private_directory(path.parent)
            replace_file(path, commit.encode("ascii"), is_synced=False)

    def forget(self, run_id: str, lane: str) -> None:
        """Note that the branch of a lane is worked on here."""
        with suppress(AgentXError, OSError):
            remove(self._notes.copy(run_id, lane))

    def _find_noted(self, run_id: str, lane: str) -> str:
        try:
            return read_bytes(self._notes.copy(run_id, lane)).decode("ascii", "replace")
        except OSError:
            return ""

    def is_copy(self, run_id: str, lane: Lane) -> bool:
        """Tell whether the branch of a lane is a copy here that nothing was added to."""
        noted = self._find_noted(run_id, lane.id)
        return bool(noted) and noted == commit_of(self._root, f"refs/heads/{lane.branch}")

    def find_replaced(self, run: Run, lane: Lane, here: str) -> Replaced | None:
        """Return what of a lane's branch here was pushed once, and is at no remote any more."""
        return self.seen.find_replaced(run, lane, here, self._find_noted(run.id, lane.id))

    def follow(self, run: Run) -> Iterator[str]:
        """Bring copies to what replaced them by force; yield what was done, or why it was not."""
        away = [lane for lane in run.lanes.values() if self.is_away(lane)]
        branches = list_branches(self._root, run.id) if away else {}
        for lane in away:
            here = branches.get(lane.branch, "")
            found = self.find_replaced(run, lane, here) if here else None
            if found is None:
                continue
            onto = found.say_onto(self._notes.worktree(run.id, lane.id), lane.branch)
            own = f"commits of its own; put them onto it: `{onto}`"
            pushed = found.by.commit
            why = self._bring(run, lane, here, pushed) if found.is_all else own
            if not why:
                self.note(run.id, lane.id, pushed)
            now = f"stays at {here[:_SHORT]}: {why}" if why else f"is at {pushed[:_SHORT]} now"
            was = "" if why else f", it was at {here[:_SHORT]}{self._keep(run, lane, here)}"
            yield f"{lane.id}: who has it replaced its branch; the copy here {now}{was}"

    def _keep(self, run: Run, lane: Lane, was: str) -> str:
        """Keep what a copy was at, where nothing else has it; return under which name it stays."""
        with suppress(AgentXError):
            if list_lost(self._root, frozenset({was})):
                return f", which stays as {keep_commit(self._root, run.id, lane.branch, was)}"
        return ""

    def _bring(self, run: Run, lane: Lane, here: str, pushed: str) -> str:
        """Bring a copy to a commit; return why it stays where it is."""
        ref, folder = f"refs/heads/{lane.branch}", self._notes.worktree(run.id, lane.id)
        try:
            where = checkouts(self._root).get(lane.branch)
            if where is None or not is_folder(where):
                git_done(self._root, "update-ref", ref, pushed, here)
            elif where.resolve() != folder.resolve():
                return f"it is checked out in {where}"
            elif list_changed_files(folder):
                return f"{folder} has changes that are not committed"
            else:
                require_free(folder, pushed, is_merged=False)
                git_done(folder, "reset", "--quiet", "--keep", pushed, settings=NO_HOOKS)
        except AgentXError as error:
            return error.message
        return ""
