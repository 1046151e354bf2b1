"""Errors in the language of gRPC: one table, read in both directions.

The status says what kind it is, the status message is the error's sentence, and
trailing metadata carries its code and its hint. So a caller of the daemon catches
the very class that the daemon raised.
"""

from __future__ import annotations

from typing import Any, NoReturn

import grpc

from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    DaemonUnavailable,
    DataError,
    InputError,
    InvalidValue,
    LimitError,
    NotFound,
    UnavailableError,
)
from agentx.kernel.text import cut
from agentx.memory.limits import RPC_ERROR_CHARS_MAX
from agentx.memory.wire.failure import RESTART, error_named

STATUSES: dict[type[AgentXError], grpc.StatusCode] = {
    NotFound: grpc.StatusCode.NOT_FOUND,
    InputError: grpc.StatusCode.INVALID_ARGUMENT,
    ConflictError: grpc.StatusCode.ABORTED,
    DataError: grpc.StatusCode.DATA_LOSS,
    LimitError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    UnavailableError: grpc.StatusCode.UNAVAILABLE,
    AgentXError: grpc.StatusCode.INTERNAL,
}

CODE_KEY = "agentx-code"
HINT_KEY = "agentx-hint-bin"


def status_of(error: AgentXError) -> grpc.StatusCode:
    """Return the status that an error becomes."""
    return next(status for kind, status in STATUSES.items() if isinstance(error, kind))


def refuse(
    context: grpc.ServicerContext, error: AgentXError, *, status: grpc.StatusCode | None = None
) -> NoReturn:
    """End a call with an error."""
    hint = cut(error.hint, RPC_ERROR_CHARS_MAX).encode("utf-8", "replace")
    context.set_trailing_metadata(((CODE_KEY, error.code), (HINT_KEY, hint)))
    message = cut(error.message, RPC_ERROR_CHARS_MAX).encode("utf-8", "replace").decode()
    context.abort(status or status_of(error), message)


def error_of(failure: grpc.RpcError) -> AgentXError:
    """Return the error that a failed call stands for."""
    status, message, trailing = _parts(failure)
    hint = trailing.get(HINT_KEY, b"")
    said = error_named(
        str(trailing.get(CODE_KEY, "")),
        message,
        hint.decode("utf-8", "replace") if isinstance(hint, bytes) else hint,
    )
    return said or _without_code(status, message)


def _without_code(status: grpc.StatusCode, message: str) -> AgentXError:
    """Return what a failure means that gRPC itself reported."""
    match status:
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.CANCELLED:
            return DaemonUnavailable(f"the daemon does not answer: {message}", hint=RESTART)
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return DaemonUnavailable("the daemon did not answer in time", hint=RESTART)
        case grpc.StatusCode.UNIMPLEMENTED:
            return DaemonUnavailable("the daemon does not know this call", hint=RESTART)
        case grpc.StatusCode.UNAUTHENTICATED | grpc.StatusCode.PERMISSION_DENIED:
            return InvalidValue(message, hint="send the token that the daemon's token file holds")
        case _:
            kind = next((kind for kind, known in STATUSES.items() if known is status), None)
            if kind is None or kind is AgentXError:
                return UnavailableError(
                    f"the daemon failed: {message}", hint="see the daemon's log"
                )
            return kind(message)


def _parts(failure: grpc.RpcError) -> tuple[grpc.StatusCode, str, dict[str, Any]]:
    call: Any = failure  # every failure of a channel is a grpc.Call too, which its types deny
    trailing = call.trailing_metadata() or ()
    return call.code(), call.details() or "", {str(key): value for key, value in trailing}
