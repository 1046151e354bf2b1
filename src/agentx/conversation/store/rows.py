"""The bytes of the log's rows, and back.

An event's row is `version, session reference, sealed payload`. The reference is in
the clear because it says which session's key opens the row; all the rest is sealed.
"""

from __future__ import annotations

from typing import Any

import msgspec
import zstandard

from agentx.conversation.identity import Delivery, Occurrence
from agentx.kernel.capture import EventType, Role
from agentx.kernel.clock import Millis
from agentx.kernel.errors import CorruptRecord, UnsupportedVersion
from agentx.kernel.ids import EventId, hash_text, spell

EVENT_VERSION = 1
SESSION_REF_BYTES = 16
_HEAD_BYTES = 1 + SESSION_REF_BYTES
# Shorter payloads do not get smaller.
_COMPRESS_BYTES_MIN = 256
_PLAIN, _ZSTD = b"\x00", b"\x01"
# The limits on text and metadata allow no larger payload; a row that claims more is damaged.
_PAYLOAD_BYTES_MAX = 256 * 1024 * 1024


class Payload(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is sealed."""

    session_id: str
    event_type: EventType
    role: Role
    text: str
    harness: str
    agent: str = ""
    project: str = ""
    metadata: dict[str, Any] = {}


class SessionRow(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What is kept of a session. It holds no text of the conversation."""

    session_id: str
    harness: str
    agent: str = ""
    project: str = ""
    first_ms: int = 0
    last_ms: int = 0
    counts: dict[str, int] = {}
    ended_ms: int = 0
    first_prompt: str = ""  # the event that titles the session
    first_prompt_ms: int = 0
    working_directory: str = ""
    branch: str = ""
    forgotten: int = 0  # events erased one by one
    forgotten_ms: int = 0  # the whole session was erased then; what is older stays away


_encoder = msgspec.msgpack.Encoder()
_payloads = msgspec.msgpack.Decoder(Payload)
_sessions = msgspec.msgpack.Decoder(SessionRow)
_occurrences = msgspec.msgpack.Decoder(list[tuple[bytes, list[tuple[str, str, int]]]])


def session_ref(project: str, harness: str, session_id: str) -> bytes:
    """Return the short name of a session inside the store."""
    return session_ref_of(spell(project, harness, session_id))


def session_ref_of(session: str) -> bytes:
    """Return that short name; `session` spells its project, harness and session."""
    return hash_text(session, size=SESSION_REF_BYTES)


def event_head(ref: bytes) -> bytes:
    """Return the part of an event's row that is in the clear."""
    return bytes((EVENT_VERSION,)) + ref


def split_event(row: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the head, the session reference and the sealed payload of a row.

    Raises: CorruptRecord, UnsupportedVersion.
    """
    if len(row) <= _HEAD_BYTES:
        raise CorruptRecord("an event's row is too short", hint="run `agentx doctor`")
    if row[0] != EVENT_VERSION:
        raise UnsupportedVersion(f"an event of version {row[0]}", hint="update AgentX")
    return row[:_HEAD_BYTES], row[1:_HEAD_BYTES], row[_HEAD_BYTES:]


class PayloadCodec:
    """Packs payloads; not for use by two threads at once."""

    def __init__(self) -> None:
        # Of a history a fifth sooner than by the usual level, on a fortieth more of the disk.
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._decompressor = zstandard.ZstdDecompressor()

    def pack(self, raw: bytes) -> bytes:
        """Return a payload's bytes, compressed where that helps: sealed bytes do not."""
        if len(raw) < _COMPRESS_BYTES_MIN:
            return _PLAIN + raw
        return _ZSTD + self._compressor.compress(raw)

    def unpack(self, packed: bytes) -> Payload:
        """Return the payload.

        Raises: CorruptRecord.
        """
        try:
            raw = packed[1:]
            if packed.startswith(_ZSTD):
                raw = self._decompressor.decompress(raw, max_output_size=_PAYLOAD_BYTES_MAX)
            return decode_payload(raw)
        except (msgspec.MsgspecError, zstandard.ZstdError, UnicodeDecodeError) as error:
            raise CorruptRecord(f"an event's payload: {error}") from error


def encode_payload(payload: Payload) -> bytes:
    """Return a payload as bytes."""
    return _encoder.encode(payload)


def decode_payload(raw: bytes) -> Payload:
    """Return the payload of bytes that were made of one.

    Raises: MsgspecError, UnicodeDecodeError.
    """
    return _payloads.decode(raw)


def pack_session(row: SessionRow) -> bytes:
    """Return a session's row as bytes."""
    return _encoder.encode(row)


def unpack_session(raw: bytes) -> SessionRow:
    """Return a session's row.

    Raises: CorruptRecord.
    """
    try:
        return _sessions.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CorruptRecord(f"a session's row: {error}") from error


def pack_occurrences(occurrences: tuple[Occurrence, ...]) -> bytes:
    """Return occurrences as bytes."""
    return _encoder.encode(
        [
            (
                occurrence.event_id.encode(),
                [(seen.channel, seen.delivery, seen.at_ms) for seen in occurrence.deliveries],
            )
            for occurrence in occurrences
        ]
    )


def unpack_occurrences(raw: bytes) -> tuple[Occurrence, ...]:
    """Return occurrences.

    Raises: CorruptRecord.
    """
    try:
        decoded = _occurrences.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CorruptRecord(f"an identity's row: {error}") from error
    if not all(event_id.isalnum() for event_id, _ in decoded):
        raise CorruptRecord("an identity's row names no event")
    return tuple(
        Occurrence(
            event_id=EventId(event_id.decode()),
            deliveries=tuple(
                Delivery(channel=channel, delivery=delivery, at_ms=Millis(at_ms))
                for channel, delivery, at_ms in deliveries
            ),
        )
        for event_id, deliveries in decoded
    )
