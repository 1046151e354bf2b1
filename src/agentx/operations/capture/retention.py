"""Forget what is older than the user wants to keep: `retention.days`, off unless it is set.

The events go one by one and not as sessions: of a session that still goes on only its old part
goes, and many go at the price of one.
"""

from __future__ import annotations

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.conversation.model import EventQuery
from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.capture.forget import read_all
from agentx.operations.limits import FORGET_BATCH_EVENTS_MAX
from agentx.operations.questions.aging import forget_aged as forget_aged_questions
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.project.settings import RetentionSettings


@frozen
class Aged:
    """What went because of its age."""

    days: int = 0  # 0: everything is kept
    events: int = 0
    questions: int = 0

    def __str__(self) -> str:
        if not self.days:
            return ""
        settled = f", settled questions: {self.questions:,}" if self.questions else ""
        return f"forgot events older than {self.days:,} days: {self.events:,}{settled}"


def keeps_forever(project: Project) -> bool:
    """Tell whether nothing is ever forgotten because of its age."""
    return project.config.section(RetentionSettings).days <= 0


def forget_aged(project: Project, memory: Memory) -> Aged:
    """Forget what is older than the user's `retention.days`: events and all made of them, and
    questions of this checkout that were settled by then.
    """
    if keeps_forever(project):
        return Aged()
    days = project.config.section(RetentionSettings).days
    until_ms = Millis(project.clock.now_ms() - days * DAY_MS)
    if until_ms <= 0:
        return Aged(days=days)
    old = EventQuery(until_ms=until_ms, limit=EVENTS_PAGE_MAX)
    ids = [event.event_id for event in read_all(memory, old)]
    for start in range(0, len(ids), FORGET_BATCH_EVENTS_MAX):
        memory.forget(event_ids=tuple(ids[start : start + FORGET_BATCH_EVENTS_MAX]))
    if ids:
        record_act(project, AuditAct.FORGOTTEN, by="retention", days=days, events=len(ids))
    return Aged(days=days, events=len(ids), questions=forget_aged_questions(project, days))
