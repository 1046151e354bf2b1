"""Whether the work of a run is where it was to go: merged there, or as other commits.

Who merges on GitHub may squash the branch or rebase it, and mostly deletes it there: what git's
ancestry then says is no reason to push it and open it once more.
"""

from __future__ import annotations

from pathlib import Path

from agentx.host.git.command import read_git
from agentx.host.git.facts import PLAIN_DIFF
from agentx.host.git.landing import find_landing
from agentx.host.git.work import commit_of, is_ancestor
from agentx.runs.model import Run
from agentx.runs.replies import Landed
from agentx.runs.store.git_shared import Pushed, find_work, list_pushed

_LOOK_WAIT_MS = 3_000


def find_landed(root: Path, run: Run) -> Landed | None:
    """Return where the work of a run came in, as far as was last fetched; None where nowhere.

    A run that changed nothing came in nowhere.
    """
    tip, base = find_work(root, run, run.git.work_branch), run.git.base_branch
    own = [each for each in run.lanes.values() if each.merged_as]
    if not (tip and base) or all(each.commit == each.start_commit for each in own):
        return None
    here = Pushed(name=base, commit=commit_of(root, f"refs/heads/{base}"))
    places = tuple(each for each in (here, *list_pushed(root, base)) if each.commit)
    for each in places:
        if is_ancestor(root, tip, each.commit):
            return Landed(where=each.name)
    found = (_look(root, tip, each) for each in places)
    return next((each for each in found if each is not None), None)


def _look(root: Path, tip: str, place: Pushed) -> Landed | None:
    fork = read_git(root, "merge-base", tip, place.commit).out.strip()
    if fork in ("", place.commit):
        return None
    words = ("diff", "--name-only", "-z", *PLAIN_DIFF)
    paths = [f":(top,literal){name}" for name in read_git(root, *words, fork, tip, "--").names]
    if not paths:
        return None
    is_there = read_git(root, "diff", "--quiet", *PLAIN_DIFF, tip, place.commit, "--", *paths)
    if is_there.code == 0:
        return Landed(where=place.name, is_other=True)
    if find_landing(root, place.commit, fork, tip, _LOOK_WAIT_MS):
        return Landed(where=place.name, is_other=True, is_sure=False)
    return None
