"""Ways of searching and how the indexes stand, as protobuf messages, and back.

The messages have the fields of the values, under the same names.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from google.protobuf.message import Message

from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.messages import whole
from agentx.search.model import (
    Capabilities,
    Embedding,
    IndexReport,
    TextIndexState,
    VectorIndexState,
)

Value = TypeVar("Value", Capabilities, Embedding, TextIndexState, VectorIndexState)


def capabilities_message(able: Capabilities) -> pb2.GetRetrievalCapabilitiesResponse:
    """Write which ways of searching work."""
    return pb2.GetRetrievalCapabilitiesResponse(modes=able.modes, **_written(able))


def capabilities_value(message: pb2.GetRetrievalCapabilitiesResponse) -> Capabilities:
    """Read which ways of searching work."""
    return _read(Capabilities, message)


def report_message(report: IndexReport) -> pb2.GetIndexStatusResponse:
    """Write how the indexes stand."""
    vectors = report.vectors
    return pb2.GetIndexStatusResponse(
        text=pb2.TextIndexStatus(**_written(report.text)),
        vectors=None if vectors is None else pb2.VectorIndexStatus(**_written(vectors)),
    )


def report_value(message: pb2.GetIndexStatusResponse) -> IndexReport:
    """Read how the indexes stand."""
    has_vectors = message.HasField("vectors")
    return IndexReport(
        text=_read(TextIndexState, message.text),
        vectors=_read(VectorIndexState, message.vectors) if has_vectors else None,
    )


def embedding_message(done: Embedding) -> pb2.EmbedNewsResponse:
    """Write what embedding did."""
    return pb2.EmbedNewsResponse(**_written(done))


def embedding_value(message: pb2.EmbedNewsResponse) -> Embedding:
    """Read what embedding did."""
    return _read(Embedding, message)


def _written(value: Value) -> dict[str, Any]:
    held = ((field.name, getattr(value, field.name)) for field in fields(value))
    return {name: whole(each) if isinstance(each, str) else each for name, each in held}


def _read(kind: type[Value], message: Message) -> Value:
    return kind(**{field.name: getattr(message, field.name) for field in fields(kind)})
