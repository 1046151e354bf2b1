"""The keys of sessions: read once from disk, then kept at hand while the store is open."""

from __future__ import annotations

from agentx.conversation.store.sealing import SessionKey
from agentx.host.kv import keys
from agentx.host.kv.port import Family, KeyValue

_AT_HAND_MAX = 10_000


class SessionKeys:
    """What opens the events of each session. One thread at a time."""

    def __init__(self, kv: KeyValue) -> None:
        self._kv = kv
        self._at_hand: dict[bytes, SessionKey] = {}

    def find(self, ref: bytes) -> SessionKey | None:
        """Return a session's key; None when it has none, or none any more."""
        known = self._at_hand.get(ref)
        if known is None:
            raw = self._kv.get(Family.KEYS, keys.session_seal_key(ref))
            if raw is None:
                return None
            known = SessionKey(raw)
            self.remember(ref, known)
        return known

    def remember(self, ref: bytes, key: SessionKey) -> None:
        """Keep at hand a key that is on disk."""
        if len(self._at_hand) >= _AT_HAND_MAX:
            self._at_hand.clear()
        self._at_hand[ref] = key

    def drop(self, ref: bytes) -> None:
        """Forget a key."""
        self._at_hand.pop(ref, None)

    def clear(self) -> None:
        """Forget every key."""
        self._at_hand.clear()
