"""A request that ends when its time is over, whatever the other side does.

A time-out of HTTP is for the next bytes: a server that hangs before it is reached, or drips a byte
at a time, outlasts it. So the request is made by a thread, and left behind when its time is over:
its connections are broken off, and the thread ends with them.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from agentx.kernel.values import frozen
from agentx.llm.limits import LLM_LINES_KEPT_MAX

Said = TypeVar("Said")
_OPENED = ("connect_tcp.complete", "start_tls.complete")


@frozen
class _Outcome(Generic[Said]):
    value: Said | None = None
    error: BaseException | None = None


class OpenLines:
    """The connections that a client has opened, as its trace tells of them."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []

    def note(self, event: str, facts: Mapping[str, Any]) -> None:
        """Hear what the client does: its trace."""
        if event.endswith(_OPENED):
            opened = facts["return_value"].get_extra_info("socket")
            if isinstance(opened, socket.socket):
                self._sockets = [*self._sockets, opened][-LLM_LINES_KEPT_MAX:]

    def break_off(self) -> None:
        """Let whoever reads from one of them find its end."""
        for each in self._sockets:
            with suppress(OSError):
                # Not the method of a TLS socket, which pulls its state from under the reader.
                socket.socket.shutdown(each, socket.SHUT_RDWR)
        self._sockets = []


def ask_within(ask: Callable[[], Said], left_ms: int, lines: OpenLines) -> Said | None:
    """Return what is asked for; None when the time is over.

    Raises: what asking raises.
    """
    heard: SimpleQueue[_Outcome[Said]] = SimpleQueue()

    def work() -> None:
        try:
            heard.put(_Outcome(value=ask()))
        except BaseException as error:  # noqa: BLE001  it is raised where it was asked
            heard.put(_Outcome(error=error))

    threading.Thread(target=work, daemon=True, name="model-request").start()
    try:
        outcome = heard.get(timeout=max(left_ms, 0) / 1000)
    except Empty:
        lines.break_off()
        return None
    except BaseException:  # Ctrl-C
        lines.break_off()
        raise
    if outcome.error is not None:
        raise outcome.error
    return outcome.value
