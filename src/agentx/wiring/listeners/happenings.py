"""What happens while agents are at work, told under the names that other tools know, and logged.

    an issue moves              state-change; handoff-triggered where another role is next
    a tool was called           tool-invoked, live only: what is imported happened long ago
    a context was compacted     context-compacted, live only

Of tools and contexts the event's id is told, never the words: what is forgotten must be gone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from agentx.agents.happenings import AgentNews, HandoffTriggered, StateChange, ToolInvoked
from agentx.conversation.service import EventsAppended
from agentx.kernel.bus import Bus
from agentx.kernel.capture import EventType
from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import ulid_ms
from agentx.project.project import Project

if TYPE_CHECKING:
    from agentx.conversation.model import Event
    from agentx.work.model import IssueChanged, StepStage

# What was seen longer ago than this is no news.
_LIVE_MS = 10 * MINUTE_MS


def tell_news(project: Project, news: AgentNews) -> None:
    """Tell a happening to who listens on a bus of its own: the log."""
    from agentx.wiring.heard.logged import make_logged_bus  # noqa: PLC0415  it opens the room

    make_logged_bus(project).tell(news)


def tell_move(project: Project, bus: Bus, fact: IssueChanged) -> None:
    """Tell that an issue is in another status, and who hands it to whom by that."""
    from agentx.wiring.work import position, stages_at  # noqa: PLC0415  a memory moves no issue

    was, now = fact.was, fact.now
    if was is None or now is None or was is now:
        return
    at = project.clock.now_ms()
    source = f"issue {fact.number}"
    bus.tell(StateChange(timestamp=at, source=source, old_state=str(was), new_state=str(now)))
    try:
        stands = position(project, fact.number)
    except AgentXError:
        return  # a workflow that is broken hands nothing over
    before = stages_at(project, stands.workflow, replace(stands.issue, status=was))
    giver, taker = _find_role(before), _find_role(stands.steps)
    if giver and taker and giver != taker:
        bus.tell(
            HandoffTriggered(
                timestamp=at, from_agent=giver, to_agent=taker, issue_number=fact.number
            )
        )


def tell_calls(project: Project, bus: Bus, get: Callable[[str], Event]) -> Callable[[], None]:
    """Tell of the tools that agents call as they are captured; return what stops it."""

    def hear(fact: EventsAppended) -> None:
        if fact.project != project.id:
            return
        since_ms = project.clock.now_ms() - _LIVE_MS
        for event_id in fact.event_ids:
            if ulid_ms(event_id) >= since_ms:
                _tell_event(project, get(event_id))

    return bus.listen(EventsAppended, hear)


def _tell_event(project: Project, event: Event) -> None:
    if "hook" not in event.metadata:
        return
    agent = event.agent or event.harness
    if event.event_type is EventType.TOOL_RESULT:
        failed = event.metadata.get("is_error") is True
        tell_news(
            project,
            ToolInvoked(
                timestamp=event.timestamp_ms,
                agent=agent,
                tool=str(event.metadata.get("tool_name") or "tool"),
                status="failed" if failed else "ok",
                detail=event.event_id,
            ),
        )
    elif event.event_type is EventType.COMPACTION:
        said = {"session": event.session_id, "detail": event.event_id}
        project.log.record("info", "context-compacted", agent=agent, **said)


def _find_role(steps: tuple[StepStage, ...]) -> str:
    """Return whose turn it is; nothing where nobody's is."""
    return next((each.step.agent for each in steps if each.stage == "next"), "")
