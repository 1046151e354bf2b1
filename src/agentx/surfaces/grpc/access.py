"""Who may call over TCP: whoever knows the token.

The token lies in a file that only its user can read. It is made once and kept, so
that clients elsewhere stay valid when the daemon restarts; remove the file to
have a new one. Over a Unix socket the file system decides, and no token is asked.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc

from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.memory.wire.address import AUTHORIZATION, bearer
from agentx.memory.wire.errors import refuse

_TOKEN_BYTES = 32
_TOKEN_CHARS_MIN = 32


def token_in(path: Path) -> str:
    """Return the token that a file holds; make the file if there is none.

    Raises: InvalidValue when others can read the file, CorruptRecord when it holds no token.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return _read_token(path)
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(token + "\n")
    return token


class TokenCheck(grpc.ServerInterceptor):  # type: ignore[type-arg]  # generic in its types only
    """Refuses every call that does not carry the token."""

    def __init__(self, token: str) -> None:
        ((_, expected),) = bearer(token)
        self._expected = expected.encode()

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler[Any, Any] | None],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """Let a call pass, or answer it with a refusal."""
        metadata = handler_call_details.invocation_metadata
        given = next((value for key, value in metadata if key == AUTHORIZATION), "")
        sent = given if isinstance(given, bytes) else given.encode("utf-8", "replace")
        if hmac.compare_digest(sent, self._expected):
            return continuation(handler_call_details)
        # A handler of streams answers any kind of call, and without reading what was sent.
        return grpc.stream_stream_rpc_method_handler(_refuse)


def _refuse(_requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
    refuse(
        context,
        InvalidValue(
            "the token is missing or wrong",
            hint="send metadata `authorization: Bearer <token>`; the daemon's token file holds it",
        ),
        status=grpc.StatusCode.UNAUTHENTICATED,
    )


def _read_token(path: Path) -> str:
    there = path.lstat()
    if not stat.S_ISREG(there.st_mode) or there.st_uid != os.getuid() or there.st_mode & 0o077:
        raise InvalidValue(
            f"{path} can be read by others: it is no secret", hint="remove it and start again"
        )
    token = path.read_text("ascii", "replace").strip()
    if len(token) < _TOKEN_CHARS_MIN or not token.isascii() or not token.isprintable():
        raise CorruptRecord(f"{path} holds no token", hint="remove it and start again")
    return token
