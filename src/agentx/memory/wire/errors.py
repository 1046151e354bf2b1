"""Errors in the language of gRPC: one table, read in both directions.

The status says what kind it is, the status message is the error's sentence, and
trailing metadata carries its code and its hint. So a caller of the daemon catches
the very class that the daemon raised.
"""

from __future__ import annotations

from collections.abc import Iterator
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

_RESTART = (
    "`agentx daemon stop`, then try again: without a daemon, commands open the store themselves"
)


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
    kind = _kinds().get(str(trailing.get(CODE_KEY, "")))
    if kind is not None:
        hint = trailing.get(HINT_KEY, b"")
        return kind(
            message, hint=hint.decode("utf-8", "replace") if isinstance(hint, bytes) else hint
        )
    return _without_code(status, message)


def _without_code(status: grpc.StatusCode, message: str) -> AgentXError:
    """Return what a failure means that gRPC itself reported."""
    match status:
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.CANCELLED:
            return DaemonUnavailable(f"the daemon does not answer: {message}", hint=_RESTART)
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return DaemonUnavailable("the daemon did not answer in time", hint=_RESTART)
        case grpc.StatusCode.UNIMPLEMENTED:
            return DaemonUnavailable("the daemon does not know this call", hint=_RESTART)
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


def _kinds() -> dict[str, type[AgentXError]]:
    # A room may have a kind of its own for an error of the house: what travels is the house's.
    return {kind.code: kind for kind in _tree(AgentXError) if "code" in vars(kind)}


def _tree(kind: type[AgentXError]) -> Iterator[type[AgentXError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from _tree(child)
