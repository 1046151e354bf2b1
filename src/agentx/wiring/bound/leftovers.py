"""What is left in git of a project's runs."""

from __future__ import annotations

from functools import partial

from agentx.kernel.errors import AgentXError
from agentx.project.project import Project
from agentx.runs.paths import RunNotes
from agentx.runs.store.archive import Archive
from agentx.runs.store.git_leftovers import (
    Leftover,
    SeenPushed,
    ask_remotes,
    list_leftovers,
    prune,
    tell_staying,
)
from agentx.runs.store.run_store import RunStore
from agentx.wiring.runs import may_git_run_all, open_run_store


def find_leftovers(project: Project) -> tuple[Leftover, ...]:
    """Return the branches and folders of runs that are over, packed away, or not known here.

    Raises: UnavailableError.
    """
    if project.trust.common is None:
        return ()
    store = open_run_store(project)
    packed = frozenset(Archive(project.paths).ids())
    notes = RunNotes(project.store.root)
    # A run that cannot be read, or laid out again, is there.
    there = frozenset({*store.ids(), *(store.kept.list_known() if store.kept else ())})
    tell_over = partial(_tell_over, store, there, packed)
    is_trusted = may_git_run_all(project)
    return tuple(list_leftovers(project.root, notes, tell_over, is_trusted=is_trusted))


def ask_what_is_pushed(project: Project, leftovers: tuple[Leftover, ...]) -> SeenPushed:
    """Ask the remotes of a trusted repository what they still have, where a branch may go.

    Raises: UnavailableError.
    """
    may_go = any(not left.is_folder and not left.stays for left in leftovers)
    return ask_remotes(project.root) if may_go and may_git_run_all(project) else SeenPushed()


def tell_why_it_stays(project: Project, left: Leftover, pushed: SeenPushed) -> str:
    """Return why a leftover stays; empty where it may go."""
    return tell_staying(project.root, left, pushed)


def prune_leftover(project: Project, left: Leftover, pushed: SeenPushed) -> str:
    """Take a leftover away; return why it stays, if it does.

    Raises: UnavailableError.
    """
    return prune(project.root, left, pushed)


def _tell_over(store: RunStore, there: frozenset[str], packed: frozenset[str], run_id: str) -> str:
    """Return why a run needs no branch and no folder any more; empty while it goes on."""
    if run_id not in there:
        return "the run is packed away" if run_id in packed else "no such run is here"
    try:
        run = store.look(run_id)
    except (AgentXError, OSError):
        return ""
    is_over = run.over and run.doubted_end is None  # its lanes may be worked on still
    return f"the run is {run.status}".lower() if is_over else ""
