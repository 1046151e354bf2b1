"""JSON-RPC messages: read out of a line, and written into one.

A line is an object or, from clients of 2025-03-26, a list of objects. What cannot be read is
answered once, with the id it had if that can be told, and never ends the server.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NoReturn

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

Id = str | int | None
_ID_CHARS_MAX = 1_000


class Refusal(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class ClientRequest(NamedTuple):
    """What a client asks, or with `wants_answer` false tells."""

    id: Id
    method: str
    params: dict[str, Any]
    wants_answer: bool


def parse_line(line: bytes) -> Any:
    """Return what a line says.

    Raises: Refusal.
    """
    try:
        return json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Refusal(PARSE_ERROR, "this line is not JSON") from None


def read_request(message: Any) -> ClientRequest | None:
    """Return what one message asks or tells; nothing for an answer: we never ask.

    Raises: Refusal.
    """
    if not isinstance(message, dict):
        raise Refusal(INVALID_REQUEST, "a message is an object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str):
        raise Refusal(INVALID_REQUEST, "a request has a method")
    if "id" in message and not _is_id(message["id"]):
        raise Refusal(INVALID_REQUEST, "an id is a text or a whole number")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise Refusal(INVALID_PARAMS, "params must be an object")
    return ClientRequest(message.get("id"), method, params, "id" in message)


def find_id(message: Any) -> Id:
    """Return the id of a message that could not be read otherwise."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if _is_id(found) else None


def say_result(of: Id, result: dict[str, Any]) -> dict[str, Any]:
    """Return an answer."""
    return {"jsonrpc": "2.0", "id": of, "result": result}


def say_failure(of: Id, failure: Refusal) -> dict[str, Any]:
    """Return the answer to what went wrong."""
    error: dict[str, Any] = {"code": failure.code, "message": failure.message}
    if failure.data is not None:
        error["data"] = failure.data
    return {"jsonrpc": "2.0", "id": of, "error": error}


def say_change(method: str, **params: Any) -> dict[str, Any]:
    """Return what is told without being asked."""
    told: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    return {**told, "params": params} if params else told


def write_line(message: Any) -> bytes:
    """Return a message as a line; ASCII, so that no reader can find another end in it."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def _is_id(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _ID_CHARS_MAX
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse_constant(_word: str) -> NoReturn:
    raise ValueError
