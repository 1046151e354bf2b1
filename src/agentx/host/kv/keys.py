"""The bytes of every key: built and parsed here and nowhere else.

Numbers are padded with zeros and ids are ULIDs, so the order of the bytes is the
order of time. Ranges are half-open, as scans take them.

    events        evt:{ms:013}:{ulid}            by the event's own time
    sessions      ses:{ref hex}                  one row a session
                  six:{ref hex}:{event key}      the session's events, by time
    identities    idn:{identity hex}             which event this is
    keys          kev:{ulid}                     what opens one event
                  kse:{ref hex}                  what opens a session's event keys
    outbox        out:{sequence:020}
    checkpoints   chk:{name}
    toc_nodes     {project}|{node id}#{version:08}
    toc_latest    {project}|{node id}
    grips         {project}|{grip id}
"""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.ids import EventId, NodeId, is_ulid, ulid_ms
from agentx.kernel.text import compile_late

SESSION_REF_BYTES = 16

KeyRange = tuple[bytes, bytes]
NewEventKeys = tuple[bytes, bytes, bytes]  # the event's, its seal's, its place under its session

_EVENT = b"evt:"
_SESSION = b"ses:"
_SESSION_EVENT = b"six:"
_IDENTITY = b"idn:"
_EVENT_SEAL = b"kev:"
_SESSION_SEAL = b"kse:"
_OUTBOX = b"out:"
_CHECKPOINT = b"chk:"

_MS_DIGITS = 13
_MS_MAX = 10**_MS_DIGITS - 1
_ULID_CHARS = 26
_EVENT_KEY = compile_late(rb"evt:([0-9]{13}):([0-7][0-9A-HJKMNP-TV-Z]{25})")
_SEQUENCE_DIGITS = 20
_SEQUENCE_MAX = 10**_SEQUENCE_DIGITS - 1
_SESSION_EVENT_HEAD_BYTES = len(_SESSION_EVENT) + 2 * SESSION_REF_BYTES + 1


# --- events -----------------------------------------------------------------------------------


def event_key(timestamp_ms: int, event_id: str) -> bytes:
    """Return the key of an event.

    Raises: InvalidValue when the time does not fit 13 digits or the id is no ULID.
    """
    _check_time(timestamp_ms)
    if not is_ulid(event_id):
        raise InvalidValue(
            f"{event_id[:40]!r} is not an id",
            hint="ids are 26 characters, such as in `agentx events`",
        )
    return b"evt:%013d:%b" % (timestamp_ms, event_id.encode("ascii"))


def event_key_of(event_id: str) -> bytes:
    """Return the key of an event by its id alone: the id holds the event's own time.

    Raises: InvalidValue.
    """
    return b"evt:%013d:%b" % (_check_time(ulid_ms(event_id)), event_id.encode("ascii"))


def _check_time(timestamp_ms: int) -> int:
    if not 0 <= timestamp_ms <= _MS_MAX:
        raise InvalidValue(f"{timestamp_ms} is outside the time a key can hold")
    return timestamp_ms


def new_event_keys(timestamp_ms: int, event_id: EventId, session: bytes) -> NewEventKeys:
    """Return where the rows of an event go whose id was minted for that time just now.

    `session` is the `session_event_head` of its session.

    Raises: InvalidValue when the time does not fit 13 digits.
    """
    if not 0 <= timestamp_ms <= _MS_MAX:
        raise InvalidValue(f"{timestamp_ms} is outside the time a key can hold")
    name = event_id.encode("ascii")
    key = b"evt:%013d:%b" % (timestamp_ms, name)
    return key, _EVENT_SEAL + name, session + key


def event_id_of(key: bytes) -> EventId:
    """Return the id in an event's key.

    Raises: CorruptRecord.
    """
    return _parse_event(key)[1]


def is_event_key(key: bytes) -> bool:
    """Tell whether this is the key of an event."""
    return _EVENT_KEY.fullmatch(key) is not None


def event_parts(key: bytes) -> tuple[Millis, EventId]:
    """Return the time and the id in an event's key.

    Raises: CorruptRecord.
    """
    return _parse_event(key)


def event_range(since_ms: int | None = None, until_ms: int | None = None) -> KeyRange:
    """Return the range of the events with since <= time < until; None is no bound."""
    return _event_bound(since_ms, _EVENT), _event_bound(until_ms, _after(_EVENT))


# --- sessions ---------------------------------------------------------------------------------


def session_key(ref: bytes) -> bytes:
    """Return the key of a session's row."""
    return _SESSION + _ref_hex(ref)


def session_ref_of(key: bytes) -> bytes:
    """Return the reference in the key of a session's row.

    Raises: CorruptRecord.
    """
    return _unhex(key, _SESSION, SESSION_REF_BYTES)


def session_range() -> KeyRange:
    """Return the range of all sessions."""
    return _SESSION, _after(_SESSION)


def session_event_head(ref: bytes) -> bytes:
    """Return how the keys of a session's events begin."""
    return _SESSION_EVENT + _ref_hex(ref) + b":"


def session_event_of(key: bytes) -> bytes:
    """Return the event's key out of its place under a session.

    Raises: CorruptRecord.
    """
    listed = key[_SESSION_EVENT_HEAD_BYTES:]
    if not key.startswith(_SESSION_EVENT):
        raise _not_a_key(key)
    _parse_event(listed)
    return listed


def session_event_range(
    ref: bytes, since_ms: int | None = None, until_ms: int | None = None
) -> KeyRange:
    """Return the range of a session's events with since <= time < until."""
    head = session_event_head(ref)
    start, end = event_range(since_ms, until_ms)
    return head + start, head + end


def session_event_span(ref: bytes, start: bytes, end: bytes) -> KeyRange:
    """Return the range of a session's events whose own keys lie between two bounds."""
    head = session_event_head(ref)
    return head + start, head + end


# --- identities and seals ---------------------------------------------------------------------


def identity_key(identity: bytes) -> bytes:
    """Return the key under which an identity's event is kept."""
    return _IDENTITY + identity.hex().encode("ascii")


def identity_range() -> KeyRange:
    """Return the range of all identities."""
    return _IDENTITY, _after(_IDENTITY)


def event_seal_range() -> KeyRange:
    """Return the range of the keys that open events."""
    return _EVENT_SEAL, _after(_EVENT_SEAL)


def session_seal_range() -> KeyRange:
    """Return the range of the keys that open sessions' event keys."""
    return _SESSION_SEAL, _after(_SESSION_SEAL)


def event_seal_key(event_id: str) -> bytes:
    """Return where the key that opens one event is kept.

    Raises: InvalidValue.
    """
    if not is_ulid(event_id):
        raise InvalidValue(f"{event_id[:40]!r} is not an id")
    return _EVENT_SEAL + event_id.encode("ascii")


def event_seal_key_of(key: bytes) -> bytes:
    """Return that place by the key of an event's row."""
    return _EVENT_SEAL + key[-_ULID_CHARS:]


def session_seal_key(ref: bytes) -> bytes:
    """Return where the key that wraps the keys of a session's events is kept."""
    return _SESSION_SEAL + _ref_hex(ref)


# --- outbox and checkpoints -------------------------------------------------------------------


def outbox_key(sequence: int) -> bytes:
    """Return the key of an outbox entry."""
    assert 0 <= sequence <= _SEQUENCE_MAX, "a sequence fits twenty digits"
    return b"%b%020d" % (_OUTBOX, sequence)


def outbox_sequence_of(key: bytes) -> int:
    """Return the sequence in an outbox key.

    Raises: CorruptRecord.
    """
    digits = key[len(_OUTBOX) :]
    if not key.startswith(_OUTBOX) or len(digits) != _SEQUENCE_DIGITS or not digits.isdigit():
        raise _not_a_key(key)
    return int(digits)


def outbox_range(from_sequence: int = 0) -> KeyRange:
    """Return the range of the outbox from a sequence on."""
    return outbox_key(from_sequence), _after(_OUTBOX)


def checkpoint_key(name: str) -> bytes:
    """Return the key of a projection's checkpoint."""
    return _CHECKPOINT + name.encode("utf-8")


def checkpoint_name_of(key: bytes) -> str:
    """Return the name in a checkpoint's key.

    Raises: CorruptRecord.
    """
    if not key.startswith(_CHECKPOINT):
        raise _not_a_key(key)
    try:
        return key[len(_CHECKPOINT) :].decode("utf-8")
    except UnicodeDecodeError:
        raise _not_a_key(key) from None


def checkpoint_range(prefix: str = "") -> KeyRange:
    """Return the range of the checkpoints whose names begin so."""
    head = checkpoint_key(prefix)
    return head, _after(head)


# --- the table of contents --------------------------------------------------------------------


def toc_node_key(project: str, node_id: str, version: int) -> bytes:
    """Return the key of one version of a node."""
    return b"%b#%08d" % (toc_latest_key(project, node_id), version)


def toc_node_range(project: str, node_id: str) -> KeyRange:
    """Return the range of all versions of a node."""
    head = toc_latest_key(project, node_id) + b"#"
    return head, _after(head)


def toc_latest_key(project: str, node_id: str) -> bytes:
    """Return the key under which a node's newest version is named."""
    return b"%b|%b" % (project.encode("ascii"), node_id.encode("ascii"))


def toc_latest_range(project: str, prefix: str = "") -> KeyRange:
    """Return the range of a project's nodes whose ids begin so."""
    head = toc_latest_key(project, prefix)
    return head, _after(head)


def node_id_of(key: bytes) -> NodeId:
    """Return the node in a key of `toc_latest`.

    Raises: CorruptRecord.
    """
    _, bar, name = key.partition(b"|")
    if not bar:
        raise _not_a_key(key)
    return NodeId(name.decode("ascii", "replace"))


def grip_key(project: str, grip: str) -> bytes:
    """Return the key of a grip."""
    return b"%b|%b" % (project.encode("ascii"), grip.encode("utf-8", "replace"))


def project_range(project: str) -> KeyRange:
    """Return the range of a project's rows in the families of the table of contents."""
    head = project.encode("ascii") + b"|"
    return head, _after(head)


# --- parts ------------------------------------------------------------------------------------


def _parse_event(key: bytes) -> tuple[Millis, EventId]:
    whole = _EVENT_KEY.fullmatch(key)
    if whole is None:
        raise _not_a_key(key)
    at_ms, name = whole.groups()
    return Millis(int(at_ms)), EventId(name.decode("ascii"))


def _event_bound(at_ms: int | None, otherwise: bytes) -> bytes:
    if at_ms is None:
        return otherwise
    if at_ms > _MS_MAX:
        return _after(_EVENT)
    return b"%b%013d" % (_EVENT, max(at_ms, 0))


def _ref_hex(ref: bytes) -> bytes:
    assert len(ref) == SESSION_REF_BYTES, "a session reference has sixteen bytes"
    return ref.hex().encode("ascii")


def _unhex(key: bytes, prefix: bytes, size: int) -> bytes:
    digits = key[len(prefix) :]
    if not key.startswith(prefix) or len(digits) != 2 * size:
        raise _not_a_key(key)
    try:
        return bytes.fromhex(digits.decode("ascii"))
    except ValueError:
        raise _not_a_key(key) from None


def _after(prefix: bytes) -> bytes:
    """Return the first key behind all that begin with the prefix."""
    return prefix[:-1] + bytes((prefix[-1] + 1,))


def _not_a_key(key: bytes) -> CorruptRecord:
    return CorruptRecord(f"{key[:80]!r} is not a key of the log", hint="run `agentx doctor`")
