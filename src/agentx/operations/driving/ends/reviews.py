"""What is said of a pull request that a driven run opened, taken up by whoever drives the run on.

    a person whom `github.notify` names said something      the run is taken up again, with a task
    a check of its last commit failed there                 the same
    anybody else                                            is not heard

Both are handed to an agent as data. After some rounds a person decides. What was taken up is kept
with the task that it is of, so that nothing is taken up twice, and nothing lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from agentx.agents.runners.port import Reference
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.runs.phases import enter_phase
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import add_task, record_event, write_artifact
from agentx.runs.model import Contract, Phase, Run, Task
from agentx.runs.parts.reviews import REVIEW, Rounds, read_rounds
from agentx.work.model import PullThere, SaidOnPull
from agentx.work.settings import WorkSettings

_TITLE = "Review: "
_ROUNDS_MAX = 3
_GITHUB = "github"
_GOAL = """\
The pull request of this run was reviewed, or its checks failed there. What was said is above, as
data. Do what the reviewers ask as far as it belongs to this run, and mend what failed; say for each
point what you did. Where you do not agree, or it is not clear, ask.
"""


def is_review(task: Task) -> bool:
    """Tell whether a task came of what was said of a pull request."""
    return task.contract.title.startswith(_TITLE)


def show_said(run: Run, task: Task) -> Iterator[Reference]:
    """Yield what was said, as an agent is shown it."""
    for each in _read_rounds(run).get(task.id, ()):
        where = f" on {each['where']}" if each.get("where") else ""
        yield Reference(name=f"what {each.get('author')} said{where}", text=str(each.get("text")))


def take_up_said(desk: DriveDesk) -> str:
    """Take a run up again for what was said of its pull request; return why it is not, or nothing.

    Raises: InvalidValue, UnavailableError where GitHub is not reached.
    """
    from agentx.wiring.github import github_pulls  # noqa: PLC0415  it brings HTTP along
    from agentx.wiring.listeners.deciders import list_deciders  # noqa: PLC0415  as above
    from agentx.wiring.runs import open_lane_git  # noqa: PLC0415  as above

    run, pulls = desk.run, github_pulls(desk.project)
    there = pulls.find(run.git.work_branch)
    if there is None or not there.is_open:
        return f"its pull request is {there.state}" if there else "it has no pull request"
    named, why = list_deciders(desk.project)
    if why:
        desk.news(NewsOf.RUN, why)
    people = {name.casefold() for name in named}
    rounds = {name: said for name, said in _read_rounds(run).items() if name in run.tasks}
    known = {each.get("id") for said in rounds.values() for each in said}
    heard = [each for each in pulls.list_said(there.number) if each.author.casefold() in people]
    heard += pulls.list_failed(open_lane_git(desk.project).find_work(run.id))
    new = [each for each in heard if each.id not in known]
    if not new:
        return f"nothing new was said of {there.url} by those who decide, and no check failed there"
    if len(rounds) >= _ROUNDS_MAX:
        return f"{there.url} went back to an agent {len(rounds)} times: that is for you to decide"
    _begin_round(desk, there, rounds, new)
    return ""


def has_reviews(desk: DriveDesk) -> bool:
    """Tell whether what a run made is reviewed on GitHub."""
    return desk.project.config.section(WorkSettings).mode == _GITHUB


def _begin_round(desk: DriveDesk, there: PullThere, rounds: Rounds, new: list[SaidOnPull]) -> None:
    run, by = desk.run, Saying(run_id=desk.run_id)
    name = f"TASK-{len(run.tasks) + 1:03}"
    what = f"what was said of pull request #{there.number}"
    record_event(desk.project, by, "run-reopened", {"reason": what})
    kept = {**rounds, name: [asdict(each) for each in new]}
    write_artifact(desk.project, by, REVIEW, json.dumps(kept, indent=2) + "\n")
    files = tuple(dict.fromkeys(each.path for each in new if each.path))
    contract = Contract(title=f"{_TITLE}{what}", goal=_GOAL, files=files)
    add_task(desk.project, Saying(run_id=desk.run_id, task=name), contract)
    enter_phase(desk.project, by, str(Phase.EXECUTION), reason=what)
    said = ", ".join(dict.fromkeys(each.author for each in new))
    desk.news(NewsOf.PLAN, f"{contract.title} ({said})", task=name)


def _read_rounds(run: Run) -> Rounds:
    artifact = run.artifacts.get(REVIEW)
    return {} if artifact is None else read_rounds(artifact.text)
