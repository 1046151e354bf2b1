"""What git knows of a run that several clones work on: what was pushed, what is here.

A clone that has an event and not its commit says that, and builds on nothing else meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from agentx.host.git.command import name_git, read_git
from agentx.host.git.facts import PLAIN_DIFF
from agentx.host.git.kept.settings import list_remotes
from agentx.host.git.work import commit_of, is_ancestor, is_shallow_clone, list_changed_files
from agentx.kernel.errors import ConflictError, NotFound
from agentx.kernel.values import frozen
from agentx.runs.model import Lane, LaneStatus, Rebased, Run, RunEvent
from agentx.runs.replies import UNSHALLOW, Changes, GoneCommit, say_push_all
from agentx.runs.settings import BRANCH

_KEPT_HERE = (".agent-memory/", ".agentx/")  # by AgentX: it is not what is checked
_NOT_OURS = tuple(f":(exclude){name.rstrip('/')}" for name in _KEPT_HERE)
_SHORT = 10


@frozen
class Pushed:
    """Where a branch of a run is, here or on a remote as last seen."""

    name: str  # origin/agent/<run-id>/work
    commit: str

    @property
    def remote(self) -> str:
        """The remote that has it; empty for a branch here."""
        end = "agent/" if "agent/" in self.name else BRANCH
        return self.name.rpartition(end)[0].removesuffix("/")


@frozen
class CheckedOut:
    """A folder, the commit that is checked out there, and what is not committed."""

    folder: Path
    commit: str = ""
    changed: tuple[str, ...] = ()  # or new; what git ignores does not count


def look_at(folder: Path) -> CheckedOut:
    """Return what is checked out in a folder; without git nothing is known of it.

    Raises: UnavailableError.
    """
    commit = commit_of(folder, "HEAD")
    if not commit:
        return CheckedOut(folder=folder)
    found = (name for name in list_changed_files(folder) if not name.startswith(_KEPT_HERE))
    return CheckedOut(folder=folder, commit=commit, changed=tuple(found))


def list_pushed(root: Path, branch: str) -> tuple[Pushed, ...]:
    """Return where a branch is on each remote, as last fetched."""
    pattern = f"refs/remotes/**/{branch}"  # a name of a remote may have a slash
    said = read_git(root, "for-each-ref", "--format=%(refname:short) %(objectname)", pattern)
    rows = (line.rpartition(" ") for line in said.lines if said.code == 0)
    return tuple(Pushed(name=name, commit=commit) for name, _, commit in rows)


def find_pushed(root: Path, branch: str, holding: str = "") -> str:
    """Return where a branch is on a remote, as last fetched: of several that came furthest.

    Where they went apart it is one that holds a commit. Empty where no remote has the branch.
    """
    commits = tuple(dict.fromkeys(each.commit for each in list_pushed(root, branch)))
    if len(commits) > 1:
        ends = read_git(root, "merge-base", "--independent", *commits).lines
        commits = tuple(each for each in commits if each in ends) or commits
    holds = (each for each in commits if holding and is_ancestor(root, holding, each))
    return next(holds, commits[0] if commits else "")


def find_work(root: Path, run: Run, branch: str) -> str:
    """Return the commit of the work branch, here or as last fetched; empty where it is nowhere.

    Of a run that is over the branch may lag behind what was pushed, as no branch here follows that.
    It may be deleted: its last commit stands for it where the base has that, here or as fetched.
    """
    tip = commit_of(root, f"refs/heads/{branch}")
    base, latest = run.git.base_branch, run.git.latest_commit
    if run.over or not tip:
        pushed = find_pushed(root, branch, latest)
        tip = pushed if pushed and _is_further(root, pushed, tip, latest) else tip
    if tip or not (run.over and base and latest):
        return tip
    bases = (f"refs/heads/{base}", *(each.commit for each in list_pushed(root, base)))
    return latest if any(is_ancestor(root, latest, each) for each in bases) else ""


def _is_further(root: Path, pushed: str, tip: str, latest: str) -> bool:
    """Tell whether what was pushed holds more of a run than what is here: all that is here, or its
    last commit, where two merged one lane at once and both say so.
    """
    if not tip or is_ancestor(root, tip, pushed):
        return True
    is_told = bool(latest) and is_ancestor(root, latest, pushed)
    return is_told and not is_ancestor(root, latest, tip)


def name_remote(root: Path, branch: str = "") -> str:
    """Return the remote that is meant for a branch: one that has it, the usual one, one of runs."""
    having = [each.remote for each in list_pushed(root, branch)] if branch else []
    names = having or list_remotes(root)
    if "origin" in names or not names:
        return "origin"
    runs = () if having else (each.remote for each in list_pushed(root, BRANCH))
    return next((name for name in runs if name in names), names[0])


def tell_unpushed(root: Path, run: Run) -> Iterator[str]:
    """Yield that no remote has the work of a run as it is here, as far as was last fetched."""
    branch = run.git.work_branch
    here = find_work(root, run, branch) if branch else ""
    remotes = list_remotes(root) if here else ()
    pushed = list_pushed(root, branch) if remotes else ()
    if remotes and not any(is_ancestor(root, here, each.commit) for each in pushed):
        where = name_remote(root, branch)
        yield f"{branch} is not pushed as it is here: `git push {where} {branch}`"


def list_branches(root: Path, run_id: str) -> dict[str, str]:
    """Return the branches of a run that are here, with their commits, by asking git once."""
    words = ("for-each-ref", "--format=%(refname:lstrip=2) %(objectname)")
    said = read_git(root, *words, f"refs/heads/agent/{run_id}/")
    rows = (line.rpartition(" ") for line in said.lines if said.code == 0)
    return {name: commit for name, _, commit in rows}


def find_start(root: Path, run: Run, branch: str) -> str:
    """Return of what the work branch of a run is made that is not here; empty where it is new.

    It is what was pushed, where that holds what the run stands on; else what it stands on.
    """
    known = run.git.latest_commit
    is_new = known == run.git.base_commit and not any(lane.merged_as for lane in run.lanes.values())
    latest = commit_of(root, known) if known and not is_new else ""
    pushed = find_pushed(root, branch, latest)
    return pushed if not latest or (pushed and is_ancestor(root, latest, pushed)) else latest


def lack_start(root: Path, commit: str) -> NotFound:
    """Return why no work branch can be made of a commit, or of none."""
    if not commit:
        return NotFound(
            f"{root}: lanes need a git repository with a commit",
            hint="commit something first, or work without lanes: `agentx run task start`",
        )
    return NotFound(
        f"{commit[:10]}, which the run stands on, is not in this repository",
        hint="who made it pushes it, then fetch it; or work without lanes: `agentx run task start`",
    )


def is_replaced(root: Path, old: str, new: str, rebased: Iterable[Rebased]) -> bool:
    """Tell whether a recorded rebase that `new` holds took over all that `old` holds.

    One that nobody vouches for takes nothing over: what both hold is merged then.
    """
    return any(
        (old == each.before or is_ancestor(root, old, each.before))
        and is_ancestor(root, each.commit, new)
        for each in rebased
        if each.before and each.is_vouched
    )


def check_pushed(
    root: Path, lane: Lane, tip: str, folder: Path, find_onto: Callable[[], str]
) -> None:
    """See that a lane has here all that was pushed of it: who had it before may have gone on.

    `find_onto` finds what puts its commits onto what replaced them at a remote, if something did.

    Raises: ConflictError.
    """
    for each in list_pushed(root, lane.branch):
        if each.commit != tip and not is_ancestor(root, each.commit, tip):
            ways, onto = f"`{name_git(folder)} merge {each.name}`", find_onto()
            raise ConflictError(
                f"{each.name} has commits that {lane.id} lacks here"
                + (", and what was taken out there is still here" if onto else ""),
                hint=(f"put yours onto them: `{onto}`" if onto else f"take them in: {ways}")
                + "; or, where yours replace them, push yours: "
                f"`git push --force-with-lease {each.remote} {lane.branch}`; then try again",
            )


def say_without(run: Run, commit: str) -> str:
    """Return the command by which a person goes on without a commit that is gone for good."""
    return f"agentx run resume {run.id} --without {commit[:_SHORT]}"


def check_latest(root: Path, run: Run) -> None:
    """See that what the run stands on is here.

    Raises: NotFound.
    """
    latest = run.git.latest_commit
    if not run.git.work_branch or not latest or commit_of(root, latest):
        return
    if is_shallow_clone(root):
        raise NotFound(
            f"{latest[:_SHORT]}, the last commit of {run.git.work_branch}, is not in this shallow "
            "clone",
            hint=f"`{UNSHALLOW}`, then try again",
        )
    raise NotFound(
        f"{latest[:_SHORT]}, the last commit of {run.git.work_branch}, is not in this repository",
        hint="who made it pushes it, then try again: "
        f"`{say_push_all(run.id, name_remote(root, run.git.work_branch))}`; "
        f"where it is gone for good a person goes on without it: `{say_without(run, latest)}`",
    )


def find_tip(root: Path, run: Run, lane: str, branch: str, *, own: str = "") -> str:
    """Return the commit of a lane, of the work branch, or what is checked out without one.

    `own` is this checkout: a lane of its own is what its branch is here, amended or not.
    """
    found = run.lanes.get(lane)
    if found is None:
        return find_work(root, run, branch) if run.git.work_branch else commit_of(root, "HEAD")
    name, known = found.branch, found.commit
    tip = commit_of(root, f"refs/heads/{name}")
    if tip and known not in ("", tip) and not is_ancestor(root, known, tip):
        is_own = bool(own) and found.checkout == own
        is_replaced_here = is_own and commit_of(root, known) and not is_ancestor(root, tip, known)
        tip = tip if is_replaced_here else ""  # it is worked on elsewhere, and came further there
    return tip or find_pushed(root, name, known)


def tell_moved(root: Path, run: Run, lane: str, branch: str, commit: str, *, own: str = "") -> str:
    """Return why a commit is not what a lane, or the run, has now; empty where it is.

    What AgentX keeps in the repository does not count: an event of the run may be committed.
    """
    found = run.lanes.get(lane)
    name = branch if found is None else found.branch
    tip = find_tip(root, run, lane, branch, own=own)
    if found is None and not run.git.work_branch:
        name = "what is checked out"
    elif not tip:
        return f"the branch {name} is not in this repository"
    if not tip or tip == commit:
        return ""
    if not commit_of(root, commit):
        return f"it was at {commit[:_SHORT]}, which is not in this repository"
    words = ("diff", "--quiet", *PLAIN_DIFF, commit, tip, "--", ".", *_NOT_OURS)
    if read_git(root, *words).code == 0:
        return ""
    return f"it was at {commit[:_SHORT]}, and {name} is at {tip[:_SHORT]} now"


def measure_changes(root: Path, branch: str, base: str) -> Changes | None:
    """Return what a branch changes, compared with its base; None when there is no such branch."""
    commit = commit_of(root, branch)
    if not commit or not base:
        return None
    said = read_git(root, "diff", "--numstat", "-z", *PLAIN_DIFF, f"{base}...{branch}")
    if said.code != 0:
        return None
    rows = [row.split("\t", 2) for row in said.names]
    return Changes(
        commit=commit,
        files=tuple(row[2] for row in rows if len(row) == 3),
        lines_added=sum(int(row[0]) for row in rows if row[0].isdigit()),
        lines_removed=sum(int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()),
    )


def list_here(root: Path, commits: frozenset[str]) -> frozenset[str]:
    """Return the commits that this repository has, by asking git once."""
    if not commits:
        return commits
    words = ("rev-list", "--no-walk", "--ignore-missing", "--end-of-options", *sorted(commits))
    said = read_git(root, *words)
    return commits & frozenset(said.lines) if said.code == 0 else frozenset()


def list_outside(root: Path, commits: frozenset[str], *tips: str) -> frozenset[str]:
    """Return the commits that are not part of branches' history, by asking git once."""
    if not commits or not all(tips):
        return frozenset()
    said = read_git(root, "rev-list", *sorted(commits), "--not", *tips)
    return commits & frozenset(said.lines) if said.code == 0 else commits


def list_gone(root: Path, run: Run) -> tuple[GoneCommit, ...]:
    """Return what the run stands on and is not here.

    A lane that is worked on elsewhere is not among it: its commits come once they are pushed.
    """
    named = [each for each in list_named(run) if not each.is_at_work]
    here = list_here(root, frozenset(each.commit for each in named))
    gone = [each for each in named if each.commit not in here]
    is_shallow = bool(gone) and is_shallow_clone(root)
    return tuple(replace(each, is_shallow=is_shallow) for each in gone)


def list_named(run: Run) -> Iterator[GoneCommit]:
    """Yield the commits without which a run does not go on, with what each is."""
    git = run.git
    if git.work_branch and git.latest_commit:
        yield GoneCommit(commit=git.latest_commit, what=f"the last commit of {git.work_branch}")
    for lane in run.lanes.values():
        if lane.status is LaneStatus.MERGED and lane.merged_as:
            yield GoneCommit(
                commit=lane.merged_as, what=f"what {lane.id} is merged by", lane=lane.id
            )
        elif lane.open and lane.commit:
            what = f"the last commit of {lane.id}"
            yield GoneCommit(commit=lane.commit, what=what, lane=lane.id, is_at_work=True)


def has_commit(root: Path, commit: str) -> bool:
    """Tell whether a commit is in this repository."""
    return bool(commit_of(root, commit))


def find_instead(root: Path, run: Run, gone: GoneCommit, events: tuple[RunEvent, ...]) -> str:
    """Return from where a run, or a lane, goes on without a commit; empty where nothing is left.

    Of a lane that counted as merged it is what was known of its own branch before.
    """
    lane = run.lanes.get(gone.lane)
    if lane is None:
        return _find_branch(root, run.git.work_branch) or run.git.base_commit
    if gone.is_at_work:
        return _find_branch(root, lane.branch) or lane.start_commit
    said = (
        each.text("commit") for each in reversed(events) if lane.born in (each.lane_of, each.id)
    )
    return next((commit for commit in said if commit not in ("", gone.commit)), "")


def _find_branch(root: Path, branch: str) -> str:
    return commit_of(root, f"refs/heads/{branch}") or find_pushed(root, branch)
