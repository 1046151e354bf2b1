"""Go from phase to phase of a run, and to its end."""

from __future__ import annotations

from dataclasses import replace

from agentx.kernel.errors import IllegalTransition, InvalidValue
from agentx.kernel.ids import shorten_run
from agentx.operations.runs.saying import Saying, check_speaker
from agentx.operations.runs.write import record, record_event
from agentx.project.project import Project
from agentx.runs.replies import Told
from agentx.wiring.bound.claims import meeting_others
from agentx.wiring.runs import open_lanes, open_runs


def go_to_phase(project: Project, by: Saying, wanted: str, *, reason: str = "") -> Told:
    """Go to a phase: the next one, a named one, or the end (`complete`, `fail`).

    Where runs are shared others know it at once.

    Raises: IllegalTransition, also where somebody else went on meanwhile: nobody skips a phase.
    """
    seen = _look_at_phase(project, by)
    with meeting_others(project) as remarks:
        now = _look_at_phase(project, by)
        if wanted.strip().lower() == "next" and now != seen:
            raise IllegalTransition(
                f"{seen[0]} is in {now[1]} by now: somebody else went on",
                hint=f"`agentx run show {shorten_run(seen[0])}` shows where it stands",
            )
        done = enter_phase(project, by, wanted, reason=reason)
    return replace(done, remarks=(*remarks, *done.remarks))


def _look_at_phase(project: Project, by: Saying) -> tuple[str, str]:
    runs = open_runs(project)
    run, _ = runs.run(runs.which.choose(by.run_id))
    return run.id, str(run.phase)


def enter_phase(project: Project, by: Saying, wanted: str, *, reason: str = "") -> Told:
    """Go to a phase, as `go_to_phase`, and tell no remote: for who exchanges runs anyway."""
    match wanted.strip().lower().replace("-", "_"):
        case "next":
            actor = check_speaker(project, by.actor)
            done = open_runs(project).next_phase(by.run_id, actor=actor)
            return _tell_taught(project, done) if done.run.over else done
        case "complete" | "completed" | "done":
            done = record(project, by, "run-completed", {"text": reason} if reason else {})
            return _tell_taught(project, done)
        case "fail" | "failed":
            if not reason:
                raise InvalidValue("say why it is given up", hint="use --reason")
            done = record_event(project, by, "run-failed", {"reason": reason})
            return _tell_taught(project, done)
        case name:
            detail = {"phase": name, **({"reason": reason} if reason else {})}
            return record_event(project, by, "phase-entered", detail)


def _tell_taught(project: Project, told: Told) -> Told:
    """Add what a run that is over taught and nobody has decided on, and what nobody pushed."""
    # What is known is read where a run ends: every `agentx run` imports this module.
    from agentx.operations.lessons.candidates import tell_undecided  # noqa: PLC0415

    left = (*tell_undecided(project, told.run), *open_lanes(project).tell_unpushed(told.run))
    return replace(told, remarks=(*told.remarks, *left))
