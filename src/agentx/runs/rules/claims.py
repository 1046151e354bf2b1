"""Which events somebody must vouch for, and what is signed of one.

    claims a person      nobody vouches for it: it is by `unverified`, and settles nothing
    ends a run           unsigned, it ends nothing; of a writer who is not trusted it counts, and is
                         told, but takes no question to a person away
    settles a conflict   nobody vouches for it: it counts where the lane is merged or given up
    declares a check     nobody vouches for it: it is not run unasked, and takes no check away
    rebased the work     nobody vouches for it: git alone tells what it holds of merged lanes
    ran checks           nobody vouches for it: no gate opens by it
    anything else        counts as it is: roles are believed

Events that decide something are signed whoever says them: another clone can tell whose they are.
"""

from __future__ import annotations

import json
from functools import lru_cache

from agentx.kernel.roles import is_persons_name
from agentx.runs.model import BY_HAND, RunEvent
from agentx.runs.rules.lines import line_of

ANSWERS = "escalation-resolved"
RAN = "checks-run"
DECLARES = frozenset({"run-started", "checks-declared", "task-added", "task-revised"})
ASKS = frozenset({"escalation-raised", "conflict-found"})
# What takes a run on: while it waits for a person's answer an agent does none of it.
GOES_ON = frozenset(
    {"phase-entered", "task-claimed", "task-started", "task-completed", "task-failed"}
    | {"task-dropped", "task-reopened", "task-retried", "lane-opened", "lane-taken"}
    | {"lane-finished", "lane-merged", "lane-failed", "lane-retried", "lane-reassigned"}
)
ENDS_RUN = frozenset({"run-completed", "run-failed"})
_WEIGHTY = ENDS_RUN | {ANSWERS, "conflict-resolved"}
REBASED = "work-rebased"
_SEALS = ("key", "sig")  # which a signature cannot be over
_spell = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_SIGNED = _WEIGHTY | {
    REBASED,
    *("run-started", "run-reopened", "escalation-raised", "conflict-found"),
    *("decision-made", "candidate-proposed"),
}


def must_sign(event: RunEvent) -> bool:
    """Tell whether an event is signed by who writes it."""
    if event.kind in _SIGNED or is_person(event.actor):
        return True
    # A file that lies in the repository may be anybody's: whoever takes it in did not write it.
    return is_of_checks(event) and event.actor != BY_HAND


def must_be_vouched(event: RunEvent) -> bool:
    """Tell whether it matters that somebody vouches for an event."""
    is_weighty = event.kind in _WEIGHTY or event.kind == REBASED
    return is_weighty or is_of_checks(event) or is_person(event.actor)


def is_of_checks(event: RunEvent) -> bool:
    """Tell whether an event says which commands must pass, or that some did."""
    return event.kind == RAN or ("checks" in event.detail and event.kind in DECLARES)


def claims_person(event: RunEvent) -> bool:
    """Tell whether an event says that a person said something."""
    return event.kind == ANSWERS or is_person(event.actor)


@lru_cache(maxsize=10_000)
def is_person(actor: str) -> bool:
    """Tell whether an actor would be taken for a person."""
    return is_persons_name(actor)


def message_of(event: RunEvent) -> bytes:
    """Return what a signature of an event is over, the same however the line is written."""
    line = {name: part for name, part in line_of(event).items() if name not in _SEALS}
    return _spell({"run": event.run, "event": line}).encode("ascii")
