"""What agents are doing, `.agentx/state/agent-status.json`, changed under its lock.

    {"engineer": {"status": "blocked-clarification", "issue": 42, "lastActivity": "...",
                  "clarificationId": "CLR-42-001", "waitingOn": "architect",
                  "respondingTo": null}}

A clarifying agent also has `returnsTo`. One that several play at once, on several issues, has
`issues`: a status for each, by number; its own fields then say the one that others must see
first. An entry that cannot be understood counts as idle and is kept as it is until that agent's
status changes; a file that is no JSON is moved aside and reported, and the next change begins a
new one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentx.host.documents.json_file import json_file
from agentx.host.git.layout import hide
from agentx.kernel.clock import Clock, Millis, from_iso, to_iso
from agentx.work.agent_states import choose, merge
from agentx.work.model import AgentState, AgentStatus

_OWNER = "agentx"


class AgentStatusFile:
    """The status of every agent of a project."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = json_file(path, clock, owner=_OWNER)
        self._folder = path.parent

    def all(self) -> tuple[AgentStatus, ...]:
        """Return every agent that was ever at work, by name; one on several issues by each.

        Raises: CorruptRecord after moving a file that is no JSON aside.
        """
        shapes = self._file.read() or {}
        return tuple(each for agent in sorted(shapes) for each in _list(agent, shapes[agent]))

    def list_of(self, agent: str) -> tuple[AgentStatus, ...]:
        """Return what one agent does on each issue; one never heard of is idle.

        Raises: CorruptRecord after moving a file that is no JSON aside.
        """
        return _list(agent, (self._file.read() or {}).get(agent, {}))

    def get(self, agent: str, issue: int | None = None) -> AgentStatus:
        """Return one agent, on an issue or as others see it first; one never heard of is idle.

        Raises: CorruptRecord after moving a file that is no JSON aside.
        """
        return choose(self.list_of(agent), issue)

    def change(
        self,
        agent: str,
        decide: Callable[[AgentStatus], AgentStatus],
        issue: int | None = None,
    ) -> AgentStatus:
        """Replace a status by what `decide` makes of it, under the lock; return what is kept.

        Raises: LockHeld, StaleVersion, CorruptRecord, UnavailableError, and what `decide` raises.
        """
        hide(self._folder)
        with self._file.editing() as shapes:
            known = _list(agent, shapes.get(agent, {}))
            before = choose(known, issue)
            after = decide(before)
            assert after.agent == agent, "a change is about one agent"
            if after != before:
                shapes[agent] = _shape_all(merge(known, before, after))
        return after


def _list(agent: str, shape: object) -> tuple[AgentStatus, ...]:
    """Return the statuses of an agent, the one that others see first before all."""
    first = _status(agent, shape)
    each = shape.get("issues") if isinstance(shape, dict) else None
    if not isinstance(each, dict):
        return (first,)
    others = (_status(agent, one) for one in each.values())
    return (first, *(one for one in others if one.issue is not None and one.issue != first.issue))


def _shape_all(statuses: tuple[AgentStatus, ...]) -> dict[str, Any]:
    shape = shape_of(statuses[0])
    if len(statuses) > 1:
        shape["issues"] = {str(one.issue): shape_of(one) for one in statuses}
    return shape


def shape_of(status: AgentStatus) -> dict[str, Any]:
    """Return a status as the file holds it."""
    at = status.last_activity_ms
    shape: dict[str, Any] = {
        "status": status.state.value,
        "issue": status.issue,
        "lastActivity": None if at is None else to_iso(at),
        "clarificationId": status.clarification_id,
        "waitingOn": status.waiting_on,
        "respondingTo": status.responding_to,
    }
    if status.returns_to is not None:
        shape["returnsTo"] = status.returns_to.value
    return shape


def _status(agent: str, shape: object) -> AgentStatus:
    if not isinstance(shape, dict):
        return AgentStatus(agent=agent)
    state = _state(shape.get("status")) or AgentState.IDLE
    issue = shape.get("issue")
    return AgentStatus(
        agent=agent,
        state=state,
        issue=issue if isinstance(issue, int) and not isinstance(issue, bool) else None,
        last_activity_ms=_time(shape.get("lastActivity")),
        clarification_id=_text(shape.get("clarificationId")),
        waiting_on=_text(shape.get("waitingOn")),
        responding_to=_text(shape.get("respondingTo")),
        returns_to=_state(shape.get("returnsTo")),
    )


def _state(value: object) -> AgentState | None:
    try:
        return AgentState(value)  # type: ignore[arg-type]  # whatever it is, the enum decides
    except ValueError:
        return None


def _time(value: object) -> Millis | None:
    try:
        return from_iso(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
