"""A person at the terminal, asked like any other agent.

The terminal itself is opened, not stdin: a person may be asked by a command whose input
and output are pipes. The question is shown, and lines are read until a line with a
single dot, or the end of input. Nobody there, or nobody answering in time, is an agent
that gave no answer.
"""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from contextlib import suppress

from agentx.agents.runners.port import Ask, Reply
from agentx.agents.runners.wording import reply_of
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentUnavailable
from agentx.kernel.roles import speak_role
from agentx.kernel.text import printable

PERSON = "person"
_END = "."
_BLOCK_BYTES = 4096


def open_terminal() -> int:
    """Open the terminal of this process.

    Raises: OSError when it has none.
    """
    return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)


class Person:
    """A runner that asks whoever sits at the terminal."""

    name = PERSON

    def __init__(self, clock: Clock, opened: Callable[[], int] = open_terminal) -> None:
        self._clock = clock
        self._opened = opened

    def check(self) -> None:
        """See that there is a terminal.

        Raises: AgentUnavailable.
        """
        os.close(self._open())

    def _open(self) -> int:
        try:
            return self._opened()
        except OSError:
            raise AgentUnavailable(
                "there is no terminal to ask a person at",
                hint="answer later with `agentx clarify answer`, or use another runner",
            ) from None

    def run(self, ask: Ask) -> Reply:
        """Show the question and wait for the answer.

        Raises: AgentUnavailable.
        """
        terminal = self._open()
        began = self._clock.now_ms()
        try:
            os.write(terminal, printable(_show(ask)).encode("utf-8", "replace"))
            said = self._hear(terminal, ask.time_limit_ms)
        finally:
            with suppress(OSError):
                os.close(terminal)
        if not said.strip():
            raise AgentUnavailable(
                f"{ask.role} (a person) gave no answer", hint="answer later: agentx clarify answer"
            )
        heard = reply_of(said)
        return Reply(
            answer=heard.answer,
            standing=heard.standing,
            evidence=heard.evidence,
            remaining=heard.remaining,
            text=heard.text,
            runner=PERSON,
            took_ms=self._clock.now_ms() - began,
        )

    def _hear(self, terminal: int, time_limit_ms: int) -> str:
        """Read lines until a dot, the end of input, or the end of time."""
        deadline = self._clock.now_ms() + time_limit_ms
        heard = b""
        while True:
            left_ms = deadline - self._clock.now_ms()
            if left_ms <= 0 or not select.select([terminal], [], [], left_ms / 1000)[0]:
                raise AgentUnavailable(
                    f"nobody answered within {time_limit_ms / 1000:g} s",
                    hint="answer later: agentx clarify answer",
                )
            try:
                block = os.read(terminal, _BLOCK_BYTES)
            except OSError:
                block = b""  # the other end of the terminal is gone
            heard += block
            lines = heard.decode("utf-8", "replace").splitlines()
            ended = next((n for n, line in enumerate(lines) if line.strip() == _END), None)
            whole = heard.endswith(b"\n") or not block
            if ended is not None and whole:
                return "\n".join(lines[:ended])
            if not block:
                return "\n".join(lines)


def _show(ask: Ask) -> str:
    asked_by = f"{speak_role(ask.asked_by)} asks" if ask.asked_by else "A question for"
    head = f"\n[{asked_by} {speak_role(ask.role)}]"
    named = " ".join(part for part in (ask.clarification_id, ask.topic) if part)
    about = "".join(f"\n  see {artifact.name}" for artifact in ask.artifacts)
    thread = "".join(f"\n  {each.speaker}: {each.body}" for each in ask.thread)
    thread += f"\n  ({ask.against})" if ask.against else ""
    return (
        f"{head} {named}\n{thread.lstrip(chr(10))}\n\n{ask.question}\n{about}\n\n"
        "Answer, and end with a line that holds a single dot:\n"
    ).replace("\n\n\n", "\n\n")
