"""What who waits for an answer sees: a line that is drawn over, or plain lines in a pipe.

At a terminal it is also shown what the agent that is asked says on the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentx.kernel.roles import speak_role
from agentx.kernel.text import printable
from agentx.operations.questions.waiting import SeeWait, WaitLook
from agentx.surfaces.cli.frame import Invocation
from agentx.surfaces.cli.progress import ProgressLine, is_watched

_PLAIN_EVERY_MS = 30_000  # often enough to be seen alive, seldom enough to be read


@contextmanager
def watching(invocation: Invocation) -> Iterator[SeeWait]:
    """Show for whom is waited until the block ends, and how to leave."""
    with ProgressLine(invocation, "waiting") as line:
        is_drawn, next_ms = is_watched(invocation), 0

        def see(look: WaitLook) -> None:
            nonlocal next_ms
            if not next_ms or (not is_drawn and look.waited_ms >= next_ms):
                leave = f"; leave with Ctrl-C, go on: agentx clarify wait {look.typed}"
                said = printable(f"[Agent X] {look}{'' if next_ms else leave}")
                invocation.talk.print(said, soft_wrap=not is_drawn)
                next_ms = look.waited_ms + _PLAIN_EVERY_MS
            for words in look.words if is_drawn else ():
                said = f"[{speak_role(look.waits_on)} ...] {words}"
                invocation.talk.print(printable(said), style="dim")
            who = look.waits_on if look.waits_on != "human" else "you"
            line.turn_to(printable(f"waiting for {who} ({look.clarification_id})"))

        yield see
