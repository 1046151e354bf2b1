"""What a person is told beside what waits, of answers that runs have in a person's name."""

from __future__ import annotations

from agentx.clarification.limits import CLARIFY_DECIDED_TOLD_MS
from agentx.host.files.plain import is_folder
from agentx.kernel.clock import Millis
from agentx.project.project import Project
from agentx.runs.rendering import tell_contested, tell_contradicted, tell_unconfirmed
from agentx.runs.resuming import name_answer
from agentx.wiring.runs import list_answered_lately, open_runs
from agentx.wiring.trust.keys import name_own_key


def list_contradicted(project: Project) -> tuple[str, ...]:
    """Return where another person's answer to a run's question stands, not the reader's own."""
    if not project.has_runs and not is_folder(project.paths.run_memory):
        return ()
    # Also of runs that are over or packed away: whoever was overruled has its week.
    runs, since = open_runs(project), project.clock.now_ms() - CLARIFY_DECIDED_TOLD_MS
    asked_lately = (*runs.list_asked(), *runs.list_packed(Millis(since)))
    answered = list_answered_lately(project, asked_lately)
    if not any(asked.contrary for _, asked in answered):
        return ()
    own = name_own_key(project)
    return tuple(filter(None, (tell_contradicted(asked, own) for _, asked in answered)))


def list_contested_asks(project: Project) -> tuple[str, ...]:
    """Return where a writer who is not trusted answered a run's question otherwise than stands."""
    if not project.has_runs:
        return ()
    asked = (each for run in open_runs(project).list_asking() for each in run.escalations.values())
    return tuple(filter(None, map(tell_contested, asked)))


def list_unconfirmed_asks(project: Project) -> tuple[str, ...]:
    """Return what programs answered lately for a person to what runs ask that go on."""
    if not project.has_runs:
        return ()
    runs = open_runs(project)
    told = (
        tell_unconfirmed(asked, runs.which.complete(name_answer(run, asked), run))
        for run, asked in list_answered_lately(project, tuple(runs.list_asking()))
    )
    return tuple(filter(None, told))
