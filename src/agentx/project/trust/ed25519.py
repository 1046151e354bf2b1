"""Ed25519 (RFC 8032) by the library that is there for sealing: keys, signatures, fingerprints.

It takes some 30 ms to load, which only who signs or checks a signature pays.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import lru_cache

from agentx.kernel.ids import digest

KEY_BYTES = 32
_SIGNATURE_BYTES = 64
_FINGERPRINT_BYTES = 10
_KEPT_MAX = 2_048  # answers, with the messages they are about
_KEPT_BYTES_MAX = 4_096


def find_public(seed: bytes) -> str:
    """Return the public key of a private one, as text."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415  see above
        Ed25519PrivateKey,
    )

    return _spell(Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw())


def sign(seed: bytes, message: bytes) -> str:
    """Return a signature, as text."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415  see above
        Ed25519PrivateKey,
    )

    return _spell(Ed25519PrivateKey.from_private_bytes(seed).sign(message))


def is_signed_by(public: str, signature: str, message: bytes) -> bool:
    """Tell whether a key signed a message."""
    if len(message) > _KEPT_BYTES_MAX:
        return _verify.__wrapped__(public, signature, message)
    return _verify(public, signature, message)


@lru_cache(_KEPT_MAX)  # whoever drives a run reads its events hundreds of times
def _verify(public: str, signature: str, message: bytes) -> bool:
    key, said = _read(public, KEY_BYTES), _read(signature, _SIGNATURE_BYTES)
    if key is None or said is None:
        return False
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  see above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415  see above
        Ed25519PublicKey,
    )

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(said, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: str) -> str:
    """Return by what a key is known: 20 hex digits."""
    return digest("writer", public, size=_FINGERPRINT_BYTES).hex()


def _spell(raw: bytes) -> str:
    return b64encode(raw).decode("ascii")


def _read(text: str, size: int) -> bytes | None:
    try:
        raw = b64decode(text, validate=True)
    except ValueError:
        return None
    # One spelling only: what is compared as text must not have two.
    return raw if len(raw) == size and _spell(raw) == text else None
