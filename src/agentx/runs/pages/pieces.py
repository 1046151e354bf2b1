"""What an agent is handed for a task, piece by piece, as far as the run itself knows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from agentx.kernel.text import compile_late
from agentx.runs.context import Area, Piece, Tier
from agentx.runs.model import Run, RunEvent, Task, TaskStatus
from agentx.runs.pages.files import artifact_page, contract_page, manifest, work_log
from agentx.runs.rendering import event_line, list_answered, tell_answered, tell_decision

_EVENTS_IN_CONTEXT_MAX = 30
_ENTRY = compile_late(r"^(?=[ \t]*#+[ \t]*\d{4}-\d\d-\d\dT)", re.MULTILINE)


def list_pinned(run: Run, task: Task, write: Callable[[Mapping[str, Any]], str]) -> Iterator[Piece]:
    """Yield what always comes along: where the run stands, the contract, the rules of the house."""
    yield make_piece(Tier.PINNED, "manifest.yaml", write(manifest(run)))
    contract = contract_page(run, task, task.version, task.contract) if task.born else {}
    if contract:
        yield make_piece(Tier.PINNED, f"tasks/{task.id}/contract", write(contract))
    law = run.artifacts.get("constitution.md")
    if law is not None:
        yield make_piece(Tier.PINNED, "artifacts/constitution.md", artifact_page(run, law))


def list_answer_pieces(run: Run) -> Iterator[Piece]:
    """Yield what people answered: nothing of a task matters more."""
    answered = [f"- {tell_answered(asked)}" for asked in list_answered(run)]
    if answered:
        yield make_piece(Tier.TASK_LOCAL, "what people answered", "\n".join(answered))


def list_done_before(run: Run, task: Task) -> Iterator[Piece]:
    """Yield what was done for the tasks that one waited for, and what was decided."""
    for name in task.contract.depends_on:
        done = run.tasks.get(name)
        if done is not None and done.status is TaskStatus.COMPLETED and done.log:
            yield make_log_piece(Tier.ON_DEMAND, done)
    if run.decisions:
        text = "\n".join(tell_decision(each) for each in run.decisions)
        yield make_piece(Tier.ON_DEMAND, "decisions of this run", text)


def list_history(run: Run, events: tuple[RunEvent, ...]) -> Iterator[Piece]:
    """Yield the other pages of a run, and its last events."""
    for artifact in run.artifacts.values():
        if artifact.name != "constitution.md":
            page = artifact_page(run, artifact)
            yield make_piece(Tier.ON_DEMAND, f"artifacts/{artifact.name}", page)
    lines = [event_line(event, run) for event in events[-_EVENTS_IN_CONTEXT_MAX:]]
    yield make_piece(Tier.ON_DEMAND, "events (the last of them)", "\n".join(lines))


def find_area(run: Run, task: Task) -> Area:
    """Return what a task is about, for whoever looks for more."""
    contract = task.contract
    words = " ".join((contract.title, contract.goal, contract.scope, *contract.acceptance))
    return Area(
        run_id=run.id,
        task=task.id,
        title=contract.title,
        words=words,
        files=contract.files,
        checks=(*contract.checks, *run.checks),
    )


def make_log_piece(tier: Tier, task: Task) -> Piece:
    """Return the work log of a task: no words in it begin as what somebody else said does."""
    log = tuple(replace(one, words=_ENTRY.sub("> ", one.words)) for one in task.log)
    return make_piece(tier, f"tasks/{task.id}/work-log.md", work_log(replace(task, log=log)))


def make_piece(tier: Tier, source: str, text: str) -> Piece:
    """Return one piece."""
    return Piece(tier=tier, source=source, text=text)
