"""One turn of an agent at its step: a process of its own, so that several can be at work, and all
end with who begins them. What it did until then it kept itself.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from typing import Any

from agentx.host.program import ProgramCall, run_to_end
from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.text import preview, printable
from agentx.operations.limits import WALK_TURN_OUTPUT_BYTES_MAX
from agentx.operations.walking.asked import WalkDesk
from agentx.wiring.work import open_agents
from agentx.work.model import AgentState, Step
from agentx.work.walk.model import Walked, WalkEvent, WalkSpent

_MODULE = "agentx.surfaces.cli.main"
# What it is told as it happens comes on the pipe that is listened to, its reply on the other.
_SWAPPED = 'exec "$@" 3>&1 1>&2 2>&3 3>&-'
_LINES_KEPT = 4
_HUB = "agent-x"  # no person says what an agent is told here
_DONE, _WAITS = ("", "text_response"), ("waiting", "escalated")


def take_turn(
    desk: WalkDesk, step: Step, runner: str, words: tuple[str, ...], spent: WalkSpent
) -> WalkEvent:
    """Let an agent work on its step until it ends; return how it left off.

    Raises: OSError where it cannot be begun.
    """
    project, bounds = desk.project, desk.request.bounds
    last: deque[str] = deque(maxlen=_LINES_KEPT)
    hear = _Hearing(lambda line: _tell(desk, step, last, line))
    left_ms = max(desk.left_ms, 1)
    options = {
        "--project": str(project.directory),
        "--model": desk.request.model,
        "--minutes": str(max(-(-left_ms // MINUTE_MS), 1)),
        "--turns": str(bounds.turns),
        "--tokens": str(max(bounds.tokens - spent.tokens, 1)),
        "--usd": f"{max(bounds.usd - spent.micro_usd / 1e6, 0.000_001):.6f}",
    }
    said = (part for name, value in options.items() if value for part in (name, value))
    # `-P`: a project's own modules must not stand in for ours.
    command = (sys.executable, "-P", "-m", _MODULE, *words, "--json", *said)
    ended = run_to_end(
        ProgramCall(
            arguments=("/bin/sh", "-c", _SWAPPED, "sh", *command),
            said="",
            folder=project.directory,
            environment={
                **project.environment.variables,
                "AGENTX_AGENT": _HUB,
                **({"AGENTX_AGENTS_RUNNER": desk.request.runner} if desk.request.runner else {}),
            },
            time_limit_ms=left_ms,
            output_bytes_max=WALK_TURN_OUTPUT_BYTES_MAX,
            heard=hear,
            can_wait=True,
        )
    )
    hear.end()
    late = "the time of this sitting was over" if ended.too_late else ""
    why = late or (last[-1] if last else f"it left with {ended.code}")
    return _read(desk, step, runner, ended.err, why)


def _read(desk: WalkDesk, step: Step, runner: str, said: str, why: str) -> WalkEvent:
    """Return how an agent left off, by its reply; without one, as what was heard last."""
    printed = _parse(said)
    reply = printed if "agent_status" in printed else {}
    why = _say_error(printed) or why
    loop = reply.get("loop") or {}
    ended = str(loop.get("ended", "")) if reply else "error"
    waits_for, reason = str(loop.get("waits_for", "")), str(loop.get("reason", ""))
    if reply.get("agent_status") == AgentState.BLOCKED_CLARIFICATION and not loop:
        # An agent CLI that asked, and left while nobody had answered.
        status = open_agents(desk.project).get(step.agent, desk.request.issue)
        ended, waits_for = "waiting", status.clarification_id or ""
        reason = f"{waits_for} waits for {status.waiting_on or 'an answer'}: agentx clarify inbox"
    return WalkEvent(
        kind=Walked.STEP_ENDED,
        at_ms=desk.project.clock.now_ms(),
        step=step.id,
        role=step.agent,
        runner=runner,
        session=str(reply.get("session_id", "")),
        ended="" if ended in _DONE else ended,
        reason=reason if reply else why,
        report=str(reply.get("report", "")),
        waits_for=waits_for if ended in _WAITS else "",
        tokens=int(loop.get("tokens", 0)),
        micro_usd=round(float(loop.get("usd", 0.0)) * 1e6),
    )


def _parse(said: str) -> dict[str, Any]:
    try:
        found = json.loads(said)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _say_error(printed: dict[str, Any]) -> str:
    """Return why a command did nothing, as it says itself."""
    error = printed.get("error")
    if not isinstance(error, dict):
        return ""
    hint = f" ({error['hint']})" if error.get("hint") else ""
    return preview(f"{error.get('message', '')}{hint}", 400)


def _tell(desk: WalkDesk, step: Step, last: deque[str], line: str) -> None:
    if line.strip() and not desk.stop.is_set():
        last.append(preview(printable(line), 400))
        desk.told(f"[{step.id}] {last[-1]}")


class _Hearing:
    """Cuts what is heard into lines."""

    def __init__(self, told: Any) -> None:
        self._told = told
        self._rest = b""

    def __call__(self, block: bytes) -> None:
        *lines, self._rest = (self._rest + block).split(b"\n")
        for line in lines:
            self._told(line.decode("utf-8", "replace"))

    def end(self) -> None:
        """Tell the line that had no end."""
        self._told(self._rest.decode("utf-8", "replace"))
        self._rest = b""
