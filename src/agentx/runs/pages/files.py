"""What a run looks like on disk beside its events: every file is made from the state.

Pure: a run gives a set of files, the same on every machine. A mapping becomes YAML, a
text stays as it is. Deleting any of them loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from agentx.kernel.clock import to_iso
from agentx.runs.asked import Escalation, PersonsAnswer
from agentx.runs.model import (
    PHASES,
    Artifact,
    Check,
    Contract,
    Lane,
    Phase,
    PhaseEntry,
    Report,
    Run,
    RunStatus,
    Task,
)
from agentx.runs.pages.pull_request import checklist, description
from agentx.runs.parts.taught import Candidate
from agentx.runs.paths import RunPaths
from agentx.runs.rules.graph import graph_of, layers, ready

Page = Mapping[str, Any] | str

_HERE = RunPaths()


def pages(run: Run, shown: Run | None = None) -> dict[Path, Page]:
    """Return the files of a run but its events, by their paths in the run's folder.

    Those that were made of `shown`, an earlier state of it, and would be the same are left out.
    """
    before = shown or Run(id=run.id)
    made: dict[Path, Page] = {_HERE.manifest: manifest(run)}
    changed = tuple(_list_changed(run.tasks, before.tasks))
    for task in changed:
        made.update(_task_pages(run, task))
    if any(_draw_node(task) != _draw_node(before.tasks.get(task.id)) for task in changed):
        made[_HERE.task_graph] = task_graph(run)
    for lane in _list_changed(run.lanes, before.lanes):
        made[_HERE.lane_manifest(lane.id)] = lane_manifest(run, lane)
        if lane.task:
            pointer = {"task_id": lane.task, "contract": str(_HERE.contract(lane.task))}
            made[_HERE.lane_task(lane.id, lane.task)] = pointer
    if len(run.reports) > len(before.reports):
        made[_HERE.verification("")] = verification(run, "", run.reports)
    for escalation in _list_changed(run.escalations, before.escalations):
        made[_HERE.escalation(escalation.id)] = _escalation(run, escalation)
    for artifact in _list_changed(run.artifacts, before.artifacts):
        made[_HERE.artifacts / artifact.name] = artifact_page(run, artifact)
    if any(True for _ in _list_changed(run.candidates, before.candidates)):
        found = [_candidate(each) for each in run.candidates.values()]
        made[_HERE.candidates] = {"run_id": run.id, "candidates": found}
    if run.phase is Phase.PR_PREP:
        made[_HERE.pr_description] = description(run)
        made[_HERE.pr_checklist] = checklist(run)
    return made


_Thing = TypeVar("_Thing")


def _list_changed(now: Mapping[str, _Thing], before: Mapping[str, _Thing]) -> Iterator[_Thing]:
    """Yield what is not the very thing that it was: what an event changes is made anew."""
    return (each for name, each in now.items() if before.get(name) is not each)


def _draw_node(task: Task | None) -> object:
    """Return what the graph says of a task."""
    return None if task is None else (task.status, task.contract.title, task.contract.depends_on)


def manifest(run: Run) -> dict[str, Any]:
    """Return where a run stands, as `manifest.yaml` says it."""
    last = run.checkpoint
    return {
        "run_id": run.id,
        "created_at": to_iso(run.created_ms),
        "updated_at": to_iso(run.updated_ms),
        "task": {
            "title": run.title,
            "description": run.description,
            "requester": run.requester,
        },
        "state": {
            "phase": str(run.phase),
            "status": str(run.status),
            "current_task": run.current_task,
        },
        **({"checks": list(run.checks)} if run.checks else {}),
        "phases": {phase.lower(): _phase(run, phase) for phase in PHASES},
        "active_lanes": [
            {"lane_id": lane.id, "task_id": lane.task, "branch": lane.branch}
            for lane in run.lanes.values()
            if lane.open
        ],
        "git": {
            "base_branch": run.git.base_branch,
            "work_branch": run.git.work_branch,
            "latest_commit": run.git.latest_commit,
        },
        "resume": {
            "last_checkpoint": None if last is None else to_iso(last.at_ms),
            "last_event_id": run.last_event_id,
            "recoverable": run.started and run.status is not RunStatus.COMPLETED,
        },
    }


def _phase(run: Run, phase: Phase) -> dict[str, Any]:
    entry = run.phases.get(phase, PhaseEntry())
    found: dict[str, Any] = {"status": str(entry.status)}
    if entry.completed_ms is not None:
        found["completed_at"] = to_iso(entry.completed_ms)
    if phase is Phase.EXECUTION and run.tasks:
        found["tasks_total"] = len(run.tasks)
        found["tasks_completed"] = sum(task.status == "COMPLETED" for task in run.tasks.values())
    return found


def _task_pages(run: Run, task: Task) -> dict[Path, Page]:
    made: dict[Path, Page] = {}
    if task.born:
        for number, contract in enumerate(task.contracts, 1):
            made[_HERE.contract(task.id, number)] = contract_page(run, task, number, contract)
    if task.log:
        made[_HERE.work_log(task.id)] = work_log(task)
    if task.reports:
        made[_HERE.verification(task.id)] = verification(run, task.id, task.reports)
    return made


def contract_page(run: Run, task: Task, version: int, contract: Contract) -> dict[str, Any]:
    """Return one version of a contract."""
    return {
        "task_id": task.id,
        "run_id": run.id,
        "version": version,
        "created": to_iso(task.contracted_ms[version - 1]),
        "title": contract.title,
        "goal": contract.goal,
        "scope": contract.scope,
        "files": list(contract.files),
        "acceptance_criteria": list(contract.acceptance),
        "dependencies": list(contract.depends_on),
        **({"checks": list(contract.checks)} if contract.checks else {}),
    }


def work_log(task: Task) -> str:
    """Return what was done for a task; it only ever grows."""
    lines = [f"# Work log of {task.id}", ""]
    for entry in task.log:
        lines += [f"## {to_iso(entry.at_ms)} {entry.actor}", "", entry.words.rstrip("\n"), ""]
    return "\n".join(lines)


def task_graph(run: Run) -> dict[str, Any]:
    """Return which task waits for which, what can be done at once, and what is ready."""
    graph = graph_of(run.tasks)
    return {
        "run_id": run.id,
        "tasks": [
            {
                "task_id": task.id,
                "title": task.contract.title,
                "status": str(task.status),
                "depends_on": list(task.contract.depends_on),
            }
            for task in run.tasks.values()
        ],
        "steps": [list(step) for step in layers(graph)],
        "ready": list(ready(run)),
    }


def lane_manifest(run: Run, lane: Lane) -> dict[str, Any]:
    """Return where a lane stands."""
    return {
        "lane_id": lane.id,
        "run_id": run.id,
        "task_id": lane.task,
        "branch": lane.branch,
        "status": str(lane.status),
        "attempts": lane.attempts,
        "reason": lane.reason,
        "start_commit": lane.start_commit,
        "commit": lane.commit,
        "opened_at": to_iso(lane.opened_ms),
        "updated_at": to_iso(lane.changed_ms),
    }


def verification(run: Run, task: str, reports: tuple[Report, ...]) -> dict[str, Any]:
    """Return what was checked, the newest report first and whole."""
    newest = reports[-1]
    return {
        "run_id": run.id,
        "task_id": task,
        **_report(newest, whole=True),
        "earlier": [_report(each) for each in reversed(reports[:-1])],
    }


def _report(report: Report, *, whole: bool = False) -> dict[str, Any]:
    return {
        "verdict": str(report.verdict),
        "actor": report.actor,
        "created": to_iso(report.at_ms),
        "summary": report.summary,
        **({"event_id": report.event_id, "commit": report.commit} if report.commit else {}),
        **({"not_committed": list(report.dirty)} if report.dirty else {}),
        "checks": [_check(check, whole=whole) for check in report.checks],
    }


def _check(check: Check, *, whole: bool) -> dict[str, Any]:
    said = {
        "name": check.name,
        "result": "PASSED" if check.passed else "FAILED",
        "evidence": check.evidence,
    }
    if not check.command:
        return said
    ran = {"command": check.command, "exit_code": check.exit_code}
    return {**said, **ran, **({"output": check.output} if whole and check.output else {})}


def _escalation(run: Run, found: Escalation) -> dict[str, Any]:
    return {
        "escalation_id": found.id,
        "run_id": run.id,
        "task_id": found.task,
        "lane_id": found.lane,
        "actor": found.actor,
        "created": to_iso(found.at_ms),
        "status": "OPEN" if found.open else "RESOLVED",
        "blocking": found.blocking,
        "question": found.question,
        "tried": list(found.tried),
        "needed": found.needed,
        "options": list(found.options),
        "resolution": found.resolution,
        "resolved_by": found.resolved_by,
        "resolved_at": None if found.resolved_ms is None else to_iso(found.resolved_ms),
        **_tell_answers(found),
    }


def _tell_answers(found: Escalation) -> dict[str, Any]:
    """Return what is to be known of the answers beside the one that stands."""
    stands = found.standing
    said: dict[str, Any] = {}
    if stands is not None and stands.is_unconfirmed:
        said["resolved_via"] = stands.via
    if found.contrary:
        said["otherwise"] = [_answer(each) for each in found.contrary]
    if found.claims:
        said["unverified"] = [_answer(each) | {"why": each.why} for each in found.claims]
    return said


def _answer(answer: PersonsAnswer) -> dict[str, Any]:
    return {
        "resolution": answer.text,
        "by": answer.owner or answer.by,
        "writer": answer.writer,
        "at": to_iso(answer.at_ms),
    }


def artifact_page(run: Run, artifact: Artifact) -> str:
    """Return an artifact with where it comes from; data files carry it as a comment."""
    source = {
        "run_id": run.id,
        "actor": artifact.actor,
        "created": to_iso(artifact.at_ms),
        "task_id": artifact.task,
        "version": str(artifact.versions),
    }
    lines = [f"{name}: {value}".rstrip() for name, value in source.items()]
    text = artifact.text if artifact.text.endswith("\n") else artifact.text + "\n"
    if artifact.name.endswith((".yaml", ".yml", ".toml")):
        return "".join(f"# {line}\n" for line in lines) + text
    if artifact.name.endswith((".md", ".markdown", ".txt")):
        return "---\n" + "\n".join(lines) + "\n---\n\n" + text
    # Any other format may have no comments: the events say where it comes from.
    return text


def artifact_text(page: str) -> str:
    """Return what an artifact's page says below where it comes from."""
    if page.startswith("---\nrun_id: "):
        _, closed, text = page[4:].partition("\n---\n")
        return text.removeprefix("\n") if closed else page
    lines = page.splitlines(keepends=True)
    while lines and lines[0].startswith(_COMMENTS):
        del lines[0]
    return "".join(lines)


_COMMENTS = tuple(f"# {name}:" for name in ("run_id", "actor", "created", "task_id", "version"))


def _candidate(found: Candidate) -> dict[str, Any]:
    return {
        "id": found.id,
        "kind": found.kind,
        "text": found.told,
        "evidence": list(found.evidence),
        "confidence": found.confidence,
        "source": found.source,
        "actor": found.actor,
        "created": to_iso(found.at_ms),
    }
