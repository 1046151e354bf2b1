"""What becomes of questions with time: settled threads get small, old ones go where one wants it.

A checkout shortens and forgets only what it wrote or asked itself; others' is theirs to keep.
"""

from __future__ import annotations

from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.errors import LockHeld
from agentx.operations.limits import QUESTION_WHOLE_DAYS
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.kept.forgotten import note_forgotten
from agentx.wiring.section import renew_notices


def compact(project: Project, days: int = QUESTION_WHOLE_DAYS) -> int:
    """Shorten the threads that were settled so many days ago; return how many."""
    if not project.trust.has_data:
        return 0
    return open_clarifications(project).compact(_count_back(project, days))


def forget_aged(project: Project, days: int) -> int:
    """Forget the questions that were settled so many days ago; memory has what they came to."""
    if not project.trust.has_data:
        return 0
    try:
        keep_decisions(project)
    except LockHeld:  # they go another time
        return 0
    gone = open_clarifications(project).forget_settled(_count_back(project, days))
    for state in gone:
        record_act(project, AuditAct.FORGOTTEN, clarification=state.id, by="retention", days=days)
    if gone:
        note_forgotten(project)
        renew_notices(project)
    return len(gone)


def _count_back(project: Project, days: int) -> Millis:
    return Millis(max(project.clock.now_ms() - days * DAY_MS, 0))
