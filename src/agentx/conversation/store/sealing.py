"""Sealed payloads, so that an append-only log can still forget.

Every event is sealed with a key of its own; that key is wrapped by the key of its
session. Without the event's key the event is gone, without the session's key the
whole session is, and the log itself is never rewritten. The keys lie beside the
data: this is for forgetting, not for secrecy from someone who has the disk.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import Entropy

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
# A key seals exactly one payload, so its nonce may be constant.
_ONLY_NONCE = bytes(12)


def new_key(entropy: Entropy) -> bytes:
    """Return a fresh key."""
    return entropy(KEY_BYTES)


def seal(payload: bytes, *, key: bytes, context: bytes) -> bytes:
    """Seal a payload with its own key; `context` must be the same when it is opened."""
    return _make_cipher(key).encrypt(_ONLY_NONCE, payload, context)


def unseal(sealed: bytes, *, key: bytes, context: bytes) -> bytes:
    """Open a sealed payload.

    Raises: CorruptRecord.
    """
    try:
        return _make_cipher(key).decrypt(_ONLY_NONCE, sealed, context)
    except (_mismatch(), ValueError) as error:
        raise CorruptRecord(
            "an event does not match its key", hint="run `agentx doctor`"
        ) from error


class SessionKey:
    """The key that wraps the keys of one session's events."""

    __slots__ = ("_cipher", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._cipher = _make_cipher(raw)

    def wrap(self, key: bytes, event: bytes) -> bytes:
        """Wrap an event's key; the 16 bytes of its id make the nonce, and no id comes twice."""
        return self._cipher.encrypt(event[4:], key, event)

    def unwrap(self, wrapped: bytes, event: bytes) -> bytes:
        """Return an event's key.

        Raises: CorruptRecord.
        """
        try:
            return self._cipher.decrypt(event[4:], wrapped, event)
        except (_mismatch(), ValueError) as error:
            raise CorruptRecord(
                "an event's key does not match its session", hint="run `agentx doctor`"
            ) from error


def _make_cipher(key: bytes) -> AESGCM:
    return _cipher_of()(key)


@cache
def _cipher_of() -> type[AESGCM]:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  who opens no event does not wait for it

    return AESGCM


@cache
def _mismatch() -> type[Exception]:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415  as above

    return InvalidTag
