"""What a driven run taught, offered once, and taken in where the user's policy says so.

What its agents say they learnt becomes events; the rest (checks that failed and passed, conflicts,
answers, reviews) is read from the events that are there. So nothing is lost with a driver that is
killed, and nothing is offered twice.
"""

from __future__ import annotations

from contextlib import suppress

from agentx.agents.driving.report import read_report
from agentx.kernel.errors import AgentXError
from agentx.operations.driving.asked import NewsOf
from agentx.operations.driving.desk import DriveDesk
from agentx.operations.lessons.candidates import ProposedLessons, find_proposed, take_in_proven
from agentx.runs.model import Run, TaskStatus
from agentx.runs.parts.turns import TurnEnd


def settle_taught(desk: DriveDesk) -> None:
    """Offer what the run taught so far, and take in what the policy takes unasked.

    Raises: AgentXError.
    """
    run = desk.run
    if not run.over:
        _propose_learnt(desk, run)
    took = take_in_proven(desk.project, desk.run)
    for name in (*took.learnt, *took.confirmed):
        what = "confirmed" if name in took.confirmed else "taken in"
        desk.news(NewsOf.END, f"the lesson {name} is {what}: the run proves it")


def tell_taught(desk: DriveDesk) -> ProposedLessons:
    """Return what waits for a word, after settling the rest; a drive ends in any case."""
    found = ProposedLessons()
    with suppress(AgentXError, OSError):
        settle_taught(desk)
        found = find_proposed(desk.project, desk.run)
    return found


def _propose_learnt(desk: DriveDesk, run: Run) -> None:
    """Offer what agents say that the work taught, with where it comes from; each once."""
    known = {each.words for each in run.candidates.values()}
    for turn in run.turns:
        task = run.tasks.get(turn.task)
        if turn.end is not TurnEnd.DONE or task is None or task.status is not TaskStatus.COMPLETED:
            continue
        for learnt in read_report(turn.text).learnt:
            if learnt.text in known:
                continue
            known.add(learnt.text)
            where = f"a turn of {turn.runner} on {task.id}"
            evidence = [where, *([f"commit {turn.commit}"] if turn.commit else [])]
            detail = {
                "kind": learnt.kind,
                "text": learnt.text,
                "evidence": evidence,
                "confidence": "LOW",  # an agent says so; nobody looked yet
                "files": list(task.contract.files),
            }
            found = {name: value for name, value in detail.items() if value}
            desk.say("candidate-proposed", found, task=task.id)
