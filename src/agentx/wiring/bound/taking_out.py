"""What a person took out of the files of a run, or of all: nothing is brought back before it."""

from __future__ import annotations

from agentx.kernel.errors import NotFound, UnavailableError
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.runs.choosing.place import find_place
from agentx.runs.choosing.which_run import WhichRun
from agentx.runs.paths import RunNotes
from agentx.wiring.runs import open_kept, open_run_store


@frozen(kw_only=False)
class RunsTakenOut:
    """Of which runs something may have been taken out, and how much is out by now."""

    runs: tuple[str, ...]  # those that are still there
    gone: int = 0  # lines, and files that were kept aside


def take_out(project: Project, run_id: str = "", *, everything: bool = False) -> RunsTakenOut:
    """Let the files of a run, or of all, count as they are, for good.

    What is not there of other runs is brought back as ever.

    Raises: NotFound, InvalidValue where no run is meant, UnavailableError, ConflictError,
        DataError.
    """
    store = open_run_store(project)
    notes, variables = RunNotes(project.store.root), project.environment.variables
    which = WhichRun(store, lambda: find_place(notes, project.directory, variables))
    kept = store.kept
    with store.as_left():
        if everything:
            meant = None
        else:
            known = () if kept is None else kept.list_known()
            meant = frozenset({_choose(which, known, run_id)})
        if kept is None:
            return RunsTakenOut(tuple(store.ids() if meant is None else meant))
        before = len(kept.taken_out.list_forgotten())
        for told in kept.take_folder(forgets=True, only=meant):
            raise UnavailableError(told)
        gone = len(kept.taken_out.list_forgotten()) - before
        return RunsTakenOut(tuple(run for run in store.ids() if not meant or run in meant), gone)


def _choose(which: WhichRun, known: tuple[str, ...], run_id: str) -> str:
    """Return the run that is meant, also one of which nothing is left in the folder.

    Raises: NotFound, InvalidValue.
    """
    try:
        return which.choose_to_see(run_id)
    except NotFound:
        near = [each for each in known if run_id and f"-{each}".endswith(f"-{run_id}")]
        if len(near) != 1:
            raise
        return near[0]


def take_folder(project: Project, *, forgets: bool) -> None:
    """Let the files of runs count as they are: what was taken out of them is not brought back.

    Raises: UnavailableError, ConflictError, DataError.
    """
    kept = open_kept(project)
    if kept is None:
        return
    for told in kept.take_folder(forgets=forgets):
        raise UnavailableError(told)
