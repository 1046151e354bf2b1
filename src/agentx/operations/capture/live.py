"""Send a test event through the real hook and see it arrive."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

from agentx.conversation.model import EventQuery
from agentx.kernel.capture import Harness
from agentx.kernel.errors import NotFound
from agentx.kernel.ids import mint
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.project.project import Project

_HOOK_WAIT_S = 10


@frozen
class LiveReply:
    """Whether a test event went all the way."""

    arrived: bool
    hook_ms: int


def live(project: Project, open_memory: Callable[[], Memory]) -> LiveReply:
    """Call the installed hook as an agent CLI would, look for the event, and forget it again.

    Raises: NotFound when the hook command is not installed.
    """
    launcher = project.data.launcher
    if not launcher.exists():
        raise NotFound(f"{launcher}: not installed", hint="agentx doctor --fix")
    session = f"agentx-doctor-{mint(project.clock.now_ms(), project.entropy)}"
    payload = {
        "session_id": session,
        "cwd": str(project.root),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "a test event of agentx doctor",
    }
    began = project.clock.now_ms()
    subprocess.run(
        [str(launcher), "--harness", Harness.CLAUDE_CODE],
        input=json.dumps(payload).encode(),
        cwd=project.root,
        env={**project.environment.variables, "CLAUDE_PROJECT_DIR": str(project.root)},
        capture_output=True,
        timeout=_HOOK_WAIT_S,
        check=False,
    )
    took = project.clock.now_ms() - began
    with open_memory() as memory:
        memory.drain()
        try:
            arrived = len(memory.events(EventQuery(session_id=session)).events) == 1
            memory.forget(session_id=session)
        except NotFound:
            arrived = False
    return LiveReply(arrived=arrived, hook_ms=took)
