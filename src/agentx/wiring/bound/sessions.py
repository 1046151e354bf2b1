"""Sessions that work in the folder of a lane: noted in the run, whose claim that renews."""

from __future__ import annotations

from collections.abc import Mapping

from agentx.project.project import Project
from agentx.runs.model import Happening
from agentx.wiring.runs import open_kept, open_runs


def attach_sessions(
    project: Project, work: Mapping[str, str], sessions: frozenset[tuple[str, str]]
) -> None:
    """Note which sessions work in a lane: once each, and again where that renews its claim.

    Only where runs are on a branch of their own: a session changes no file that is committed with
    code. What was said in it stays on this machine.

    Raises: AgentXError.
    """
    kept = open_kept(project)
    if kept is None or not kept.is_on:
        return
    runs = open_runs(project, variables={})
    run, _ = runs.run(work["run"])
    task = run.tasks.get(work.get("task", ""))
    known = {
        event.text("session") for event in runs.events(run.id) if event.kind == "session-attached"
    }
    for harness, session in sorted(sessions):
        if session in known and not (task is not None and runs.own.is_due(task)):
            continue
        detail = {"session": session, "harness": harness}
        said = Happening(
            kind="session-attached",
            actor=harness.replace("_", "-"),
            task="" if task is None else task.id,
            lane=work["lane"],
            detail=detail,
        )
        run = runs.say(run.id, said).run
        task = run.tasks.get(said.task)
