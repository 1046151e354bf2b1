"""Who may say what of a run, by role: one table, asked wherever an event is written.

    planner        plans: adds, revises, drops and reopens tasks, and says which checks must pass
    executor       works: takes tasks and lanes from their start to their merge
    verifier       judges: says the verdict, and reopens what does not hold
    orchestrator   leads: all of these, and moves the run on and ends it; anybody may begin one
    person         everything; what a run asked a person, only they answer

A role is known by who calls (the role an agent plays), else by the actor that is named. Whoever
has none of these roles is believed, as before: a name is no proof, and a person may invent one.
"""

from __future__ import annotations

from enum import StrEnum

from agentx.kernel.errors import IllegalTransition
from agentx.kernel.roles import HUB_ROLE
from agentx.runs.model import ORCHESTRATOR
from agentx.runs.rules.catalogue import KINDS
from agentx.runs.rules.claims import is_person


class RunRole(StrEnum):
    """What somebody is for a run."""

    PLANNER = "planner"
    EXECUTOR = "executor"
    VERIFIER = "verifier"
    ORCHESTRATOR = ORCHESTRATOR
    PERSON = "person"


_PLAN, _WORK, _JUDGE = RunRole.PLANNER, RunRole.EXECUTOR, RunRole.VERIFIER
_LEAD = frozenset({RunRole.ORCHESTRATOR, RunRole.PERSON})
_ALL = frozenset(RunRole)
_PERSON_ONLY = frozenset({RunRole.PERSON})

_PLANNING = ("task-added", "task-revised", "task-dropped", "checks-declared")
_WORKING = (
    *("task-claimed", "task-released", "lane-taken"),
    *("task-started", "task-blocked", "task-completed", "task-failed", "task-retried"),
    *("lane-opened", "lane-finished", "lane-merged", "lane-failed", "lane-retried"),
    *("lane-reassigned", "branch-made", "commit-made", "work-rebased", "conflict-found"),
)
_LEADING = (
    *("phase-entered", "run-completed", "run-failed", "run-reopened"),
    *("drive-began", "drive-held", "drive-ended", "turn-began", "turn-ended"),
)
# What nobody is named for, anybody may say: notes, logs, artifacts, questions, what was seen.
PERMITS: dict[str, frozenset[RunRole]] = {
    **dict.fromkeys(KINDS, _ALL),
    **dict.fromkeys(_PLANNING, _LEAD | {_PLAN}),
    **dict.fromkeys(_WORKING, _LEAD | {_WORK}),
    **dict.fromkeys(_LEADING, _LEAD),
    "task-reopened": _LEAD | {_PLAN, _JUDGE},
    "verification-recorded": _LEAD | {_JUDGE},
    **dict.fromkeys(("escalation-resolved", "commit-given-up"), _PERSON_ONLY),
}

# What the roles that agents play are for a run.
_PLAYED = {
    **dict.fromkeys(("product-manager", "architect", "ux-designer"), _PLAN),
    **dict.fromkeys(("engineer", "devops-engineer", "data-scientist"), _WORK),
    **dict.fromkeys(("reviewer", "tester"), _JUDGE),
    HUB_ROLE: RunRole.ORCHESTRATOR,
}


def find_role(played: str, actor: str) -> RunRole | None:
    """Return what somebody is for a run: by the role they play, else by the name they give."""
    if played:
        return _PLAYED.get(played) or _name_role(played)
    return _name_role(actor)


def _name_role(name: str) -> RunRole | None:
    if is_person(name):
        return RunRole.PERSON
    return RunRole(name) if name in set(RunRole) else _PLAYED.get(name)


def check_permit(role: RunRole | None, kind: str, played: str = "") -> None:
    """See that a role may say something; `played` is the role that the caller plays, if any.

    Raises: IllegalTransition, naming who may.
    """
    allowed = PERMITS.get(kind, _ALL)
    if role is None or role in allowed:
        return
    others = ", ".join(str(each) for each in RunRole if each in allowed)
    raise IllegalTransition(
        f"{kind} is not for the {role} to say",
        hint=f"it is for: {others}; "
        + (f"{played} counts as {role} here" if played else "`--actor` says who acts"),
    )
