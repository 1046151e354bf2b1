"""The server of the hatch: one request in JSON a connection, answered like a call over gRPC.

Nothing that arrives is believed, and nothing that does not arrive is waited for long:

    another user's process        is not answered
    less than it announced        is cut off when its time is over
    more than a request may be    is refused by its length; the bytes are not kept
    no JSON, no call, wrong type  is refused by name, as over gRPC
    more callers than threads     wait in the kernel's queue
    who asks for a section        waits for its turn: two that are made at once come later, both
    whoever no longer waits       is not answered, and nothing is made

A caller that goes away, at any byte, costs its own connection and nothing else.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import BoundedSemaphore, Lock, Thread
from typing import Any

from agentx.conversation.model import EventPage, EventQuery
from agentx.daemon.servers import Ask, Offer, Places, Room, fit_page
from agentx.kernel.errors import AgentXError, InvalidValue, LimitError, UnavailableError
from agentx.kernel.text import cut
from agentx.memory.limits import (
    HATCH_ANSWER_BYTES_MAX,
    HATCH_ARRIVAL_MS,
    HATCH_DEPARTURE_MS,
    HATCH_REQUEST_BYTES_MAX,
    RPC_ERROR_CHARS_MAX,
)
from agentx.memory.port import Memory
from agentx.memory.wire import plain
from agentx.memory.wire.calls import Call
from agentx.memory.wire.hatch import receive_frame, send_frame

_log = logging.getLogger(__name__)

# As many at once as over gRPC; more wait in the queue of the socket.
_CALLS_MAX = 64
_QUEUE_MAX = 1024
# How long bytes of a request that was refused are taken and thrown away, so that the
# refusal is read before the connection ends.
_DISCARD_MS = 500
_TURN_LOOK_SECONDS = 0.02
_PAGE_BYTES_MAX = HATCH_ANSWER_BYTES_MAX - 1024
_OWNER = struct.Struct("3i")  # pid, user, group: as the kernel tells them


class _CallerLeft(Exception):
    """Nobody waits for the answer any more."""


class HatchServer:
    """Answers requests on one socket."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self._answers = {
            call.name: (call, _page if call.verb is Memory.events else ask)
            for call, ask in (*offer.answers(), *offer.answers_here())
            if call.verb is not Memory.append  # what is to be stored goes in a stream, or by hooks
        }
        self._in_turn = tuple(call.name for call, _ in offer.besides)
        self._turn = Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        self._wake_reader, self._wake_writer = os.pipe()
        self._pool = ThreadPoolExecutor(_CALLS_MAX, thread_name_prefix="agentx-hatch")
        self._free = BoundedSemaphore(_CALLS_MAX)
        self._thread = Thread(target=self._accept, name="agentx-hatch", daemon=True)
        self._changing = Lock()
        self._open: set[socket.socket] = set()
        self._cut_at = float("inf")
        self._ended = False
        self.address = ""

    def listen(self, path: Path) -> str:
        """Bind to a socket that only its user can open; return its path.

        Raises: UnavailableError when it cannot be bound.
        """
        try:
            self._listener.bind(str(path))
            path.chmod(0o600)
            self._listener.listen(_QUEUE_MAX)
        except OSError as error:
            raise UnavailableError(
                f"{path} cannot be listened on: {error}", hint="is another program there?"
            ) from error
        self._listener.setblocking(False)
        self.address = str(path)
        return self.address

    def start(self) -> None:
        """Accept requests."""
        self._thread.start()

    def refuse_new_calls(self, grace_ms: int) -> None:
        """Accept nothing new; what is in flight may take `grace_ms` more, or less if told again."""
        self._cut_at = time.monotonic() + grace_ms / 1000
        with suppress(OSError):
            os.write(self._wake_writer, b"x")
        if self._thread.is_alive():
            self._thread.join()
        self._listener.close()

    def wait_until_ended(self) -> None:
        """Return when no request is answered any more; only then may the memory be closed."""
        if self._ended:
            return
        self._ended = True
        if self._cut_at == float("inf"):
            self.refuse_new_calls(0)
        while self._count() and time.monotonic() < self._cut_at:
            time.sleep(0.005)
        with self._changing:
            for caller in self._open:
                with suppress(OSError):
                    caller.shutdown(socket.SHUT_RDWR)
        self._pool.shutdown(wait=True)
        os.close(self._wake_reader)
        os.close(self._wake_writer)

    def _count(self) -> int:
        with self._changing:
            return len(self._open)

    def _accept(self) -> None:
        """Hand each caller to a thread until told to stop."""
        waits = select.poll()
        waits.register(self._wake_reader, select.POLLIN)
        waits.register(self._listener, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _ in waits.poll()]
            if self._wake_reader in ready:
                return
            try:
                caller, _ = self._listener.accept()
            except OSError:  # it went away again, or too many files are open: the next may do
                time.sleep(0.01)
                continue
            while not self._free.acquire(timeout=0.1):
                if self._cut_at != float("inf"):
                    caller.close()
                    return
            with self._changing:
                self._open.add(caller)
            self._pool.submit(self._serve, caller)

    def _serve(self, caller: socket.socket) -> None:
        """Answer one caller, whatever it sends."""
        try:
            with caller:
                if _is_own(caller):
                    self._answer(caller)
        except (OSError, EOFError, _CallerLeft):
            pass  # it has gone, or was too slow
        except Exception:  # noqa: BLE001  one of the three places: a surface's outermost frame
            _log.exception("a request failed; nothing that was acknowledged is lost")
        finally:
            with self._changing:
                self._open.discard(caller)
            self._free.release()

    def _answer(self, caller: socket.socket) -> None:
        arrival = time.monotonic() + HATCH_ARRIVAL_MS / 1000
        try:
            request = receive_frame(caller, arrival, HATCH_REQUEST_BYTES_MAX)
        except ValueError as error:
            refusal = LimitError(f"a request of {error}", hint="ask for less")
            _send(caller, _refuse(refusal))
            _discard(caller)
            return
        with self._offer.activity.working():
            _send(caller, self._ask(request, caller))

    def _ask(self, request: bytearray, caller: socket.socket) -> bytes:
        try:
            asked = plain.decode(request)
            if asked.get("call") not in self._in_turn:
                return self._reply(asked)
            with self._taking_turn(caller):
                return self._reply(asked)
        except AgentXError as error:
            return _refuse(error)
        except _CallerLeft:
            raise
        except Exception as error:  # noqa: BLE001  one of the three places: a surface's outermost frame
            _log.exception("a call failed; nothing that was acknowledged is lost")
            return _refuse(
                UnavailableError(
                    f"the daemon failed: {type(error).__name__}: {error}",
                    hint="see the daemon's log",
                )
            )

    @contextmanager
    def _taking_turn(self, caller: socket.socket) -> Iterator[None]:
        """Be the only one that makes something for a caller.

        Raises: _CallerLeft.
        """
        while not self._turn.acquire(timeout=_TURN_LOOK_SECONDS):
            if _has_left(caller):
                raise _CallerLeft
        try:
            if _has_left(caller):
                raise _CallerLeft
            yield
        finally:
            self._turn.release()

    def _reply(self, request: dict[str, Any]) -> bytes:
        call, ask = self._find(request.get("call"))
        project = request.get("project", "")
        if not isinstance(project, str):
            raise InvalidValue("project is no string", hint="send the id of a project, or none")
        given = plain.read_given(call, request.get("given", {}))
        reply = ask(self._offer.memory_of(project), **given)
        answer = reply if isinstance(reply, bytes) else _write(reply)
        if len(answer) > HATCH_ANSWER_BYTES_MAX:
            raise LimitError(f"the answer has {len(answer):,} bytes", hint="ask for less")
        return answer

    def _find(self, name: object) -> tuple[Call[..., Any], Ask]:
        try:
            return self._answers[name]  # type: ignore[index]  # whatever it is, it is none of ours
        except (KeyError, TypeError):
            raise InvalidValue(
                f"{str(name)[:40]!r} is no call", hint=f"use one of: {', '.join(self._answers)}"
            ) from None


def open_hatch(offer: Offer, places: Places) -> HatchServer:
    """Return the server of the hatch, which listens already.

    Raises: UnavailableError.
    """
    server = HatchServer(offer)
    try:
        server.listen(places.hatch)
    except BaseException:
        server.wait_until_ended()
        raise
    return server


def _page(memory: Memory, query: EventQuery) -> bytes:
    room: Room[bytes] = Room(_PAGE_BYTES_MAX, len)

    def write(page: EventPage) -> bytes:
        return _write(page)

    return fit_page(memory, query, write, room)


def _write(reply: object) -> bytes:
    return plain.encode({"reply": reply})


def _refuse(error: AgentXError) -> bytes:
    said = {
        "code": error.code,
        "message": cut(error.message, RPC_ERROR_CHARS_MAX),
        "hint": cut(error.hint, RPC_ERROR_CHARS_MAX),
    }
    return plain.encode({"error": said})


def _send(caller: socket.socket, answer: bytes) -> None:
    send_frame(caller, answer, time.monotonic() + HATCH_DEPARTURE_MS / 1000)


def _discard(caller: socket.socket) -> None:
    caller.shutdown(socket.SHUT_WR)
    deadline = time.monotonic() + _DISCARD_MS / 1000
    while (left := deadline - time.monotonic()) > 0:
        caller.settimeout(left)
        if not caller.recv(65_536):
            return


def _has_left(caller: socket.socket) -> bool:
    """Tell whether a caller closed its end; one that only has nothing more to say still waits."""
    look = select.poll()
    look.register(caller, 0)  # that it hung up is told unasked
    return bool(look.poll(0))


def _is_own(caller: socket.socket) -> bool:
    """Tell whether a process of this user calls, or one that may do anything anyway."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder is private
    said = caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _OWNER.size)
    user: int = _OWNER.unpack(said)[1]
    return user in (os.getuid(), 0)
