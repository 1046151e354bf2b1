"""What the log of a project hears of questions and of agents."""

from __future__ import annotations

from agentx.agents.happenings import HAPPENINGS, AgentNews, payload
from agentx.clarification.events import (
    NAMES,
    ClarificationEscalated,
    ClarificationEvent,
    LedgerLocked,
    LedgerReleased,
    MonitorRan,
)
from agentx.host.files.plain import is_folder
from agentx.kernel.bus import Bus
from agentx.kernel.text import preview
from agentx.project.project import Project


def make_logged_bus(project: Project) -> Bus:
    """Return a bus whose events are written to the project's own log."""
    log = project.log

    def fail(fact: object, failure: Exception) -> None:
        log.record("warning", "listener-failed", told=type(fact).__name__, message=str(failure))

    bus = Bus(fail)

    def clarification(event: ClarificationEvent) -> None:
        fields: dict[str, object] = {
            "clarificationId": event.clarification_id,
            "issueNumber": event.issue,
            "fromAgent": event.asker,
            "toAgent": event.to,
            "topic": preview(event.topic, 100),
            "blocking": event.blocking,
            "round": event.round,
            "status": event.status,
        }
        level = "info"
        if isinstance(event, ClarificationEscalated):
            fields |= {"reason": event.reason, "summary": event.summary}
            level = "warning"
        log.record(level, NAMES[type(event)], **fields)

    def lock(event: LedgerLocked | LedgerReleased) -> None:
        name = "lock-acquired" if isinstance(event, LedgerLocked) else "lock-released"
        log.record(
            "debug", name, filePath=event.file, agent=event.agent, durationMs=event.duration_ms
        )

    def monitor(event: MonitorRan) -> None:
        found = (event.stale, event.stuck, event.deadlocked, event.abandoned, event.damaged)
        if not any(found) and not is_folder(project.store.root):
            return  # whoever only looks begins no folder to say that nothing is the matter
        log.record(
            "warning" if event.damaged else "info",
            "clarification-monitor",
            staleCount=event.stale,
            stuckCount=event.stuck,
            deadlockedCount=event.deadlocked,
            abandonedCount=event.abandoned,
            damagedCount=event.damaged,
        )

    def happening(event: AgentNews) -> None:
        log.record("info", HAPPENINGS[type(event)], **payload(event))

    bus.listen(ClarificationEvent, clarification)
    bus.listen(LedgerLocked, lock)
    bus.listen(LedgerReleased, lock)
    bus.listen(MonitorRan, monitor)
    bus.listen(AgentNews, happening)
    return bus
