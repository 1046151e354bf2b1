"""The branch of a project's runs: brought together with that of a remote, and looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from agentx.host.git.facts import list_tracked, tell_not_pointed_back
from agentx.kernel.errors import AgentXError, ConflictError, IllegalTransition
from agentx.kernel.text import name_some
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.runs.settings import BRANCH, RunsSettings
from agentx.runs.store.git_exchange import RunExchange, find_remote, list_agreed
from agentx.runs.store.kept.facts import MEMORY, PARTS
from agentx.wiring.runs import may_git_run_all, open_kept, open_run_store
from agentx.wiring.trust.git_refusal import require_git
from agentx.wiring.trust.keys import open_keyring


def open_exchange(project: Project, remote: str = "") -> RunExchange | None:
    """Return the exchange with a remote; None where runs are committed with the code.

    Raises: NotFound, InvalidValue; ConflictError for a repository that is not trusted;
        UnavailableError for one that git refuses.
    """
    require_git(project)
    store = open_run_store(project)
    kept = store.kept
    if kept is None or not kept.is_to_be():
        return None
    if not may_git_run_all(project):
        raise ConflictError(
            f"{project.root} is not trusted: git would run what its settings name",
            hint="look at them, then say `agentx trust`",
        )
    open_keyring(project).go_with_runs()
    wanted = find_remote(project.root, remote, list_agreed(kept.notes))
    return RunExchange(store, wanted, lambda: project.trust.was_said)


def tell_no_branch(project: Project) -> AgentXError:
    """Return why no branch keeps the runs of a project, so that nothing exchanges them."""
    root, common = project.root, project.trust.common
    if common == root:
        return IllegalTransition(
            f"{root} is a bare repository: its runs lie there, and on no branch",
            hint="begin them in a clone that has files to share them",
        )
    if common is None:
        apart = tell_not_pointed_back(root)
        return apart or IllegalTransition(
            f"{root} is no git repository: nothing exchanges its runs", hint="git init"
        )
    return IllegalTransition(
        "runs of this repository are committed with its code",
        hint=f"git push and git pull exchange them; `agentx config set runs.branch {BRANCH}` "
        "gives them a branch of their own",
    )


def find_run_branch(project: Project) -> str:
    """Return the branch that keeps a project's runs; empty where there is none of ours."""
    kept = open_kept(project)
    with suppress(AgentXError):
        tip = "" if kept is None else kept.branch.find_tip()
        if kept is not None and tip and kept.looks_ours(tip):
            return BRANCH
    return ""


@frozen
class RunBranchNote:
    """What is to be known of where runs are kept, and what to type."""

    says: str
    mend: str
    is_wrong: bool = False


def list_notes(project: Project) -> Iterator[RunBranchNote]:
    """Yield what is to be known of where a project's runs are kept."""
    kept = open_kept(project)
    if kept is None:
        return
    if kept.is_with_code() and project.config.section(RunsSettings).branch == "auto":
        yield RunBranchNote(
            says="runs are committed with the code: a switch, a clean or a reset may take them",
            mend=f"`agentx config set runs.branch {BRANCH}` gives them a branch of their own",
        )
    theirs = kept.list_ahead()
    if theirs:
        yield RunBranchNote(
            says=f"{', '.join(theirs)} holds runs that are not here", mend="`agentx run sync`"
        )
    waiting = kept.notes.list_waiting()
    if waiting:
        told = kept.commit()
        why = told[0] if told else "they were written by a command that was cut short"
        yield RunBranchNote(says=f"{len(waiting)} runs: {why}", mend="", is_wrong=bool(told))
    if not kept.is_on:
        return
    strays = kept.list_strays()
    if strays:
        yield RunBranchNote(
            says=f"{name_some(strays)}: no file of AgentX's; it goes to nobody as it lies there",
            mend="move it elsewhere, or remove it",
        )
    folders = tuple(f"{MEMORY}/{part}" for part in PARTS)
    if any(list_tracked(project.root, folder) for folder in folders):
        yield RunBranchNote(
            says=f"runs are on the branch {BRANCH}, and the code still has them",
            mend=f"git rm -r --cached --ignore-unmatch -- {' '.join(folders)}, then commit that",
        )
