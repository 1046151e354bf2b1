"""The bytes of the table of contents, and back: JSON, so that a person can read a row."""

from __future__ import annotations

import msgspec

from agentx.conversation.segments import Continuation
from agentx.conversation.toc_model import Grip, TocNode
from agentx.kernel.errors import CorruptRecord

_nodes = msgspec.json.Decoder(TocNode)
_grips = msgspec.json.Decoder(Grip)
_marks = msgspec.json.Decoder(tuple[Continuation, ...])


def pack(value: TocNode | Grip | tuple[Continuation, ...]) -> bytes:
    """Return a value as bytes."""
    return msgspec.json.encode(value)


def node(raw: bytes) -> TocNode:
    """Return a node.

    Raises: CorruptRecord.
    """
    try:
        return _nodes.decode(raw)
    except msgspec.MsgspecError as error:
        raise CorruptRecord(f"a node's row: {error}", hint="agentx rebuild toc") from error


def grip(raw: bytes) -> Grip:
    """Return a grip.

    Raises: CorruptRecord.
    """
    try:
        return _grips.decode(raw)
    except msgspec.MsgspecError as error:
        raise CorruptRecord(f"a grip's row: {error}", hint="agentx rebuild toc") from error


def marks(raw: bytes) -> tuple[Continuation, ...]:
    """Return a session's marks.

    Raises: CorruptRecord.
    """
    try:
        return _marks.decode(raw)
    except msgspec.MsgspecError as error:
        raise CorruptRecord(f"a session's marks: {error}", hint="agentx rebuild toc") from error
