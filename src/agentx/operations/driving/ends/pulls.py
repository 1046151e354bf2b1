"""The pull request of a driven run, where GitHub mode is on: one, whoever drives and whenever."""

from __future__ import annotations

from agentx.kernel.errors import AgentXError, UnavailableError
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.runs.recover import PullRequest
from agentx.runs.model import Run
from agentx.work.model import PullThere, WantedPull
from agentx.work.settings import WorkSettings

_GITHUB = "github"


def open_pull(desk: DriveDesk, run: Run, found: PullRequest) -> str:
    """See that a run whose branch is pushed has its pull request; return its address, or nothing.

    Raises: UnavailableError where GitHub is not reached: it is tried again when the run goes on.
    """
    if desk.project.config.section(WorkSettings).mode != _GITHUB or not desk.remote:
        return ""
    from agentx.wiring.github import github_pulls  # noqa: PLC0415  it brings HTTP along

    wanted = WantedPull(
        branch=run.git.work_branch,
        base=run.git.base_branch,
        title=run.title,
        body=found.description,
    )
    try:
        there = github_pulls(desk.project).open(wanted)
    except UnavailableError:
        raise
    except AgentXError as error:
        desk.news(NewsOf.PUSH, f"no pull request was opened: {error.whole}")
        return ""
    _tell(desk, there)
    return there.url


def _tell(desk: DriveDesk, there: PullThere) -> None:
    name = f"pull request #{there.number}"
    if not there.is_open:
        more = "what came since is in none" if there.is_merged else "and stays so"
        text = f"{name} of this branch is {there.state}, {more}: {there.url}"
    elif there.is_new:
        text = f"{name} is opened: {there.url}"
        desk.say("note", {"text": text})
    else:
        text = f"{name} is there already, and has what was pushed: {there.url}"
    desk.news(NewsOf.PUSH, text)
