"""What both ends of a connection know before the first call: addresses, and who is calling."""

from __future__ import annotations

from contextlib import suppress

UNIX = "unix:"  # how the address of a Unix socket begins
AUTHORIZATION = "authorization"
# Which project a call speaks of: one store may hold several.
PROJECT_HEADER = "agentx-project"

_LOOPBACK_6 = bytes(15) + b"\x01"


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine and cannot be another."""
    import socket  # noqa: PLC0415  every command that looks for a daemon comes by this file

    with suppress(OSError):
        return socket.inet_pton(socket.AF_INET, host).startswith(b"\x7f")
    with suppress(OSError):
        return socket.inet_pton(socket.AF_INET6, host) == _LOOPBACK_6
    return host == "localhost"


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata of a call that carries the token; none for no token."""
    return ((AUTHORIZATION, f"Bearer {token}"),) if token else ()
