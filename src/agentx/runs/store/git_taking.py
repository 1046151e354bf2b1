"""A lane that comes here from another clone: its branch as it was pushed, and a folder for it.

Nothing is taken that is not whole: commits that were never pushed are named with where they are,
and what lies here uncommitted, or committed apart, is left as it is.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.files.plain import is_folder
from agentx.host.git.command import NO_HOOKS
from agentx.host.git.mending.lying import require_free
from agentx.host.git.work import commit_of, git_done, is_ancestor
from agentx.kernel.errors import ConflictError, NotFound, UnavailableError
from agentx.kernel.text import name_some
from agentx.runs.model import Lane, Run
from agentx.runs.store.git_lanes import GitLanes
from agentx.runs.store.git_shared import find_pushed, list_pushed, name_remote

_SHORT = 10


def has_folder(git: GitLanes, run: Run, lane: Lane) -> bool:
    """Tell whether a lane's folder is here."""
    return is_folder(git.folder(run.id, lane.id))


def find_brought(git: GitLanes, run: Run, lane: Lane) -> str:
    """Return the commit that a lane has once it is here, with all that is known of it.

    Raises: NotFound where commits are not pushed, UnavailableError where nobody knows whether they
        are, ConflictError where this clone has changes of its own that are not in what was pushed,
        or the branch in a checkout of somebody's.
    """
    folder = git.folder(run.id, lane.id)
    git.folders.require_nowhere_else(run.id, lane.id, lane.branch)
    if git.is_trusted and is_folder(folder):
        git.folders.require_up(lane.id, folder)
    changed = git.list_changed(run.id, lane.id)
    if changed:
        raise ConflictError(
            f"{lane.id} has changes here that are not committed: {name_some(changed)}",
            hint=f"commit or undo them in {folder}, or have git ignore them; then try again",
        )
    here = commit_of(git.root, f"refs/heads/{lane.branch}")
    pushed = find_pushed(git.root, lane.branch, lane.commit)
    if here and pushed and not is_ancestor(git.root, here, pushed):
        _require_not_replaced(git, run, lane, here)
        if not is_ancestor(git.root, pushed, here):
            raise ConflictError(
                f"{lane.branch} has commits here that its remote lacks, and lacks others",
                hint=f"put them together: git merge {_name_pushed(git, lane, pushed)} in {folder}",
            )
        pushed = here
    tip = pushed or here
    is_whole = tip and (not lane.commit or _holds(git.root, tip, lane.commit))
    if not is_whole:
        what = f"{lane.commit[:_SHORT]} of {lane.id}" if lane.commit else lane.id
        for remark in git.silent:
            raise UnavailableError(
                f"{what} is not here: {remark}", hint="try again when it is reached"
            )
        raise NotFound(
            f"{what} is not pushed: it is in the checkout {lane.checkout or 'that made it'}",
            hint=f"there: git push {name_remote(git.root, lane.branch)} {lane.branch}",
        )
    return tip


def _name_pushed(git: GitLanes, lane: Lane, commit: str) -> str:
    """Return the name of a lane's branch at the remote that has it at a commit."""
    known = (each.name for each in list_pushed(git.root, lane.branch) if each.commit == commit)
    return next(known, commit)


def _require_not_replaced(git: GitLanes, run: Run, lane: Lane, here: str) -> None:
    """See that nothing comes back with a lane that was taken out of its branch at the remote.

    Raises: ConflictError.
    """
    found = git.copies.find_replaced(run, lane, here)
    if found is not None:
        is_away = git.copies.is_away(lane)
        who = "who has it replaced its branch" if is_away else "its branch was replaced"
        raise ConflictError(
            f"{lane.id}: {who} at {found.by.remote}: what was taken out there is still here",
            hint="put what is yours onto what is there: "
            f"`{found.say_onto(git.folder(run.id, lane.id), lane.branch)}`; then try again",
        )


def bring_lane(git: GitLanes, run: Run, lane: Lane) -> tuple[Path, str]:
    """Make a lane's branch and folder here, or bring both up to what was pushed.

    Raises: as `find_brought`; UnavailableError.
    """
    tip = find_brought(git, run, lane)
    ref = f"refs/heads/{lane.branch}"
    here = commit_of(git.root, ref)
    was_copy = git.copies.is_copy(run.id, lane)
    if here and here != tip and not has_folder(git, run, lane):
        git_done(git.root, "update-ref", ref, tip, here)
    folder = git.reopen(run.id, lane.id, lane.branch)
    if commit_of(folder, "HEAD") != tip:
        require_free(folder, tip, is_merged=False)
        git_done(folder, "reset", "--quiet", "--keep", tip, settings=NO_HOOKS)
    if was_copy:
        git.copies.note(run.id, lane.id, tip)
    return folder, tip


def _holds(root: Path, tip: str, commit: str) -> bool:
    return bool(commit_of(root, commit)) and is_ancestor(root, commit, tip)
