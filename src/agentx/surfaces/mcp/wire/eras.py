"""The two eras of the protocol: versions that begin with a handshake, and the one without.

A client of the first says `initialize` and gets the version it asked for, or our newest of
that era. A client of the second puts its version into every request (`_meta`), may ask
`server/discover`, and finds in every result that it is complete and how long a list holds.
"""

from __future__ import annotations

from typing import Any

from agentx.surfaces.mcp.wire.messages import (
    INVALID_PARAMS,
    UNSUPPORTED_VERSION,
    ClientRequest,
    Refusal,
)

HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
STATELESS = ("2026-07-28",)

_PREFIX = "io.modelcontextprotocol/"
VERSION = f"{_PREFIX}protocolVersion"
_CAPABILITIES = f"{_PREFIX}clientCapabilities"
_SERVER = f"{_PREFIX}serverInfo"
SUBSCRIPTION = f"{_PREFIX}subscriptionId"
_LISTS = frozenset(
    "server/discover tools/list prompts/list resources/list resources/templates/list "
    "resources/read".split()
)
_GONE = frozenset(("ping", "logging/setLevel"))


def agree(asked: object) -> str:
    """Return the version to speak with who shakes hands."""
    return asked if isinstance(asked, str) and asked in HANDSHAKES else HANDSHAKES[0]


def is_stateless(request: ClientRequest) -> bool:
    """Tell of which era a request is.

    Raises: Refusal for a version that we do not speak, or an incomplete envelope.
    """
    meta = request.params.get("_meta")
    if request.method == "initialize" or not isinstance(meta, dict) or VERSION not in meta:
        return False
    asked = meta[VERSION]
    if asked not in STATELESS:
        known = {"supported": list(STATELESS), "requested": f"{asked}"[:100]}
        raise Refusal(UNSUPPORTED_VERSION, "this version is not spoken here", known)
    if not isinstance(meta.get(_CAPABILITIES), dict):
        raise Refusal(INVALID_PARAMS, f"_meta lacks {_CAPABILITIES}")
    return True


def is_gone(method: str) -> bool:
    """Tell whether the second era has no such method any more."""
    return method in _GONE


def complete(method: str, result: dict[str, Any], server: dict[str, str]) -> dict[str, Any]:
    """Return a result as the second era wants it."""
    made = {**result, "resultType": "complete", "_meta": {_SERVER: server}}
    if method in _LISTS:
        # The list may change at any moment, and is this user's alone.
        made |= {"ttlMs": 0, "cacheScope": "private"}
    return made
