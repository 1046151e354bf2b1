"""What the hook asks the daemon: one request, one answer, and never a wait beyond its end.

    4 bytes, the length, most significant first; then that many bytes of JSON; both ways

The agent CLI waits meanwhile. So whatever is wrong with a daemon (it is old, slow, busy, gone, or
none of ours) costs what is left of the time at most, and is no answer. `json` and `socket` take
longer to import than most answers take to come; what they are made of does not.
"""

import os
import time

from agentx.surfaces.hooks.settled import find_hatch
from agentx.surfaces.hooks.spool import Caller, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket as Socket  # noqa: N812  as the module that hooks do without names it

# What of a session's surroundings has a say in what it is told.
_SURROUNDINGS = ("AGENTX_", "MEMORY_", "XDG_", "HOME", "TZ")
_LENGTH_BYTES = 4
_ANSWER_BYTES_MAX = 262_144
_REQUEST_BYTES_MAX = 900_000
_ANSWER = b'{"reply":{"prepared":"'
_FENCES = ("[agentx:recall]", "[/agentx:recall]")
_OWNER_BYTES = 12  # pid, user, group: as the kernel tells them


def ask_to_tell(call: Caller, store: str, wait_ms: int, **asked: str) -> str:
    """Return what the daemon of a store has to tell, as prepared files hold it; empty if nothing.

    `asked` goes with who asks: the moment, and what it is about.
    """
    deadline = time.monotonic() + wait_ms / 1000
    path = find_hatch(store)
    if not path:
        return ""
    request = _write_request(call, asked)
    if len(request) > _REQUEST_BYTES_MAX:
        return ""
    try:
        return read_answer(_exchange(path, request, deadline))
    except (OSError, ValueError, ImportError):
        return ""


def read_answer(answer: bytes) -> str:
    """Return the text of an answer; empty for a refusal, and for what is no section of ours.

    Raises: ValueError for what is not JSON.
    """
    if not answer.startswith(_ANSWER):
        return ""
    from _json import scanstring  # as `json` has it, without what reads everything else

    text: str = scanstring(answer.decode("ascii"), len(_ANSWER))[0]
    rows = [row.rpartition("\t")[2] for row in text.strip().split("\n")]
    return text if (rows[0], rows[-1]) == _FENCES else ""


def _write_request(call: Caller, asked: dict[str, str]) -> bytes:
    said = os.environ
    variables = {name: said[name] for name in said if name.startswith(_SURROUNDINGS)}
    who = {"harness": call.harness, "agent": call.agent, "branch": call.branch, **asked}
    given = b'{"directory":%b,"variables":%b,"request":%b}' % (
        quote(call.cwd),
        _write_object(variables),
        _write_object(who),
    )
    return b'{"call":"TellSession","given":%b}' % given


def _write_object(texts: dict[str, str]) -> bytes:
    return b"{%b}" % b",".join([quote(name) + b":" + quote(text) for name, text in texts.items()])


def _exchange(path: str, request: bytes, deadline: float) -> bytes:
    """Ask on a socket and return the answer.

    Raises: OSError when it cannot be had in time, ValueError when it is longer than it may be.
    """
    import _socket  # as `socket` has it, which imports ten times as much

    caller = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        caller.settimeout(_left(deadline))
        caller.connect(path)
        _check_owner(caller)
        caller.sendall(len(request).to_bytes(_LENGTH_BYTES, "big") + request)
        length = int.from_bytes(_receive(caller, _LENGTH_BYTES, deadline), "big")
        if length > _ANSWER_BYTES_MAX:
            raise ValueError("the answer is too long")
        return _receive(caller, length, deadline)
    finally:
        caller.close()


def _check_owner(caller: "Socket") -> None:
    """See that a process of this user answers, or one that may do anything anyway.

    Raises: PermissionError.
    """
    import _socket

    if not hasattr(_socket, "SO_PEERCRED"):
        return  # the socket is private
    said = caller.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _OWNER_BYTES)
    from sys import byteorder

    if int.from_bytes(said[4:8], byteorder) not in (os.getuid(), 0):
        raise PermissionError("somebody else answers there")


def _receive(caller: "Socket", length: int, deadline: float) -> bytes:
    received = b""
    while len(received) < length:
        caller.settimeout(_left(deadline))
        some = caller.recv(length - len(received))
        if not some:
            raise ConnectionError("the answer is not whole")
        received += some
    return received


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("no time is left")
    return left
