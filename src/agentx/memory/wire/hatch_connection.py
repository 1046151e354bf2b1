"""A connection to a daemon through its hatch: the same calls as over gRPC, as JSON.

What goes wrong over there is raised here as the same error. Importing this takes a tenth of
what gRPC takes, which is why commands that read come here first.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from agentx.kernel.errors import AgentXError, DaemonUnavailable, LimitError, UnavailableError
from agentx.memory.limits import HATCH_ANSWER_BYTES_MAX, HATCH_REQUEST_BYTES_MAX
from agentx.memory.wire import plain
from agentx.memory.wire.calls import Call, Given, Reply
from agentx.memory.wire.failure import RESTART, error_named
from agentx.memory.wire.hatch import HatchClosed, exchange

if TYPE_CHECKING:
    from agentx.memory.wire.connection import Connection


_AWAY_MS_MAX, _AWAY_POLL_MS = 800, 20


class Later:
    """A gRPC connection that is opened when somebody needs it, once."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._opening = Lock()
        self._opened: Connection | None = None

    def get(self) -> Connection:
        """Return the connection."""
        with self._opening:
            if self._opened is None:
                self._opened = self._connect()
            return self._opened

    def close(self) -> None:
        """Close it if it was opened."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()


class HatchConnection:
    """Where the hatch is, and which project is meant. Safe to use from many threads."""

    def __init__(self, path: str, later: Later, project: str = "") -> None:
        self._path = path
        self._later = later
        self._project = project

    @property
    def grpc(self) -> Connection:
        """The way by which a stream goes."""
        return self._later.get().of_project(self._project)

    def of_project(self, project: str) -> HatchConnection:
        """Return the same for another project in the same store."""
        return HatchConnection(self._path, self._later, project)

    def ask(self, call: Call[Given, Reply], *arguments: Given.args, **named: Given.kwargs) -> Reply:
        """Make a call; return what its verb returned over there.

        Raises: what the verb raised over there, DaemonUnavailable.
        """
        try:
            return self._ask(call, *arguments, **named)
        except HatchClosed:
            # Nothing was asked yet. The daemon may be there and have lost its hatch.
            return self.grpc.ask(call, *arguments, **named)

    def ask_here(
        self, call: Call[Given, Reply], *arguments: Given.args, **named: Given.kwargs
    ) -> Reply:
        """Make a call that only a hatch answers.

        Raises: what the verb raised over there, DaemonUnavailable, UnavailableError.
        """
        try:
            return self._ask(call, *arguments, **named)
        except HatchClosed:
            raise UnavailableError("the daemon has no hatch", hint=RESTART) from None

    def is_answered(self, wait_ms: int) -> bool:
        """Tell whether anything is answered: a process that is held takes calls, and no more.

        What is asked is no call at all. Every daemon refuses that at once, however busy it is.
        Where nobody listens any more that is told at once: who asks looks why, and waits or not.
        """
        nothing = plain.encode({"call": "", "project": self._project, "given": {}})
        try:
            self._exchange(nothing, wait_ms, away_ms=0)
        except (DaemonUnavailable, HatchClosed):
            return False
        return True

    def close(self) -> None:
        """Let nothing more be asked."""
        self._later.close()

    def _ask(
        self, call: Call[Given, Reply], *arguments: Given.args, **named: Given.kwargs
    ) -> Reply:
        given = plain.write_given(call, *arguments, **named)
        request = plain.encode({"call": call.name, "project": self._project, "given": given})
        if len(request) > HATCH_REQUEST_BYTES_MAX:
            raise LimitError(
                f"the question has {len(request):,} bytes: more than a daemon takes",
                hint=f"ask for less: at most {HATCH_REQUEST_BYTES_MAX:,}",
            )
        answer = self._exchange(request, call.wait_ms)
        if "reply" not in answer:
            raise _error_in(answer.get("error"))
        return plain.read_reply(call, answer["reply"])

    def _exchange(
        self, request: bytes, wait_ms: int, *, away_ms: int = _AWAY_MS_MAX
    ) -> dict[str, Any]:
        try:
            answer = self._send(request, wait_ms, away_ms)
        except TimeoutError:
            raise DaemonUnavailable("the daemon did not answer in time", hint=RESTART) from None
        except (OSError, EOFError, ValueError) as error:
            raise DaemonUnavailable(f"the daemon does not answer: {error}", hint=RESTART) from error
        return plain.decode(answer)

    def _send(self, request: bytes, wait_ms: int, away_ms: int) -> bytearray:
        """Ask; a daemon that begins anew by other settings is away for a moment.

        Raises: HatchClosed when nobody listens for longer, and as `exchange`.
        """
        deadline = time.monotonic() + min(wait_ms, away_ms) / 1000
        while True:
            try:
                return exchange(
                    self._path, request, wait_ms=wait_ms, answer_bytes_max=HATCH_ANSWER_BYTES_MAX
                )
            except HatchClosed:
                if time.monotonic() > deadline:
                    raise
            time.sleep(_AWAY_POLL_MS / 1000)


def _error_in(said: object) -> AgentXError:
    match said:
        case {"code": str(code), "message": str(message), "hint": str(hint)}:
            found = error_named(code, message, hint)
            return found or UnavailableError(f"the daemon failed: {message}", hint=hint)
        case _:
            return DaemonUnavailable("the daemon answered nothing that is known", hint=RESTART)
