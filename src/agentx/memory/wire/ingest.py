"""Drafts as a stream of batches, sent ahead of their acknowledgements.

A batch is acknowledged after it is on disk. A stream ends before its deadline can:
the deadline measures the daemon, not the source of the drafts, which may be slow.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from agentx.conversation.model import Receipt
from agentx.kernel.capture import Draft
from agentx.kernel.errors import DaemonUnavailable
from agentx.kernel.ids import EventId
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX, EVENT_TEXT_CHARS_MAX
from agentx.kernel.text import cut
from agentx.memory.limits import (
    RPC_BATCH_BYTES_MAX,
    RPC_BATCHES_AHEAD_MAX,
    RPC_INGEST_WAIT_MS,
    RPC_STREAM_AGE_MS_MAX,
)
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.connection import Connection, raise_failures
from agentx.memory.wire.messages import DRAFT, RECEIPT, path_of


def ingest(connection: Connection, drafts: Iterable[Draft]) -> Receipt:
    """Store drafts over a connection; return when all of them are acknowledged."""
    stored: list[EventId] = []
    duplicates = forgotten = 0
    with raise_failures():
        for receipt in _send(connection, _batches(drafts)):
            stored.extend(receipt.stored)
            duplicates += receipt.duplicates
            forgotten += receipt.forgotten
    return Receipt(stored=tuple(stored), duplicates=duplicates, forgotten=forgotten)


class IngestStream:
    """One stream of batches, sent ahead of their acknowledgements."""

    def __init__(self, connection: Connection) -> None:
        # gRPC reads the batches in a thread of its own and holds it until it is given None.
        self._outgoing: SimpleQueue[pb2.IngestEventsRequest | None] = SimpleQueue()
        self._opened = time.monotonic()
        self._sent = 0
        self._received = 0
        self._call: Any = connection.channel.stream_stream(
            path_of("IngestEvents"),
            request_serializer=pb2.IngestEventsRequest.SerializeToString,
            response_deserializer=pb2.IngestEventsResponse.FromString,
        )(
            iter(self._outgoing.get, None),
            timeout=RPC_INGEST_WAIT_MS / 1000,
            metadata=connection.metadata,
        )

    @property
    def ahead(self) -> int:
        """How many batches were sent and not yet acknowledged."""
        return self._sent - self._received

    @property
    def is_old(self) -> bool:
        """Tell whether too little is left of the deadline for another batch."""
        return (time.monotonic() - self._opened) * 1000 > RPC_STREAM_AGE_MS_MAX

    def send(self, drafts: list[pb2.Draft]) -> None:
        self._sent += 1
        self._outgoing.put(pb2.IngestEventsRequest(sequence=self._sent, events=drafts))

    def receive(self) -> Receipt:
        """Return the next acknowledgement."""
        answer: pb2.IngestEventsResponse | None = next(self._call, None)
        self._received += 1
        if answer is None or answer.sequence != self._received:
            raise DaemonUnavailable(
                f"the daemon did not acknowledge batch {self._received}",
                hint="send the same again: what is stored already is not stored twice",
            )
        return RECEIPT.read(answer.receipt)

    def close(self) -> None:
        """End the stream, whatever is still under way."""
        self._outgoing.put(None)
        self._call.cancel()


def _send(connection: Connection, batches: Iterable[list[pb2.Draft]]) -> Iterator[Receipt]:
    """Send batches and yield their receipts; a stream that has grown old is ended first."""
    stream: IngestStream | None = None
    try:
        for batch in batches:
            if stream is not None and stream.is_old:
                while stream.ahead:
                    yield stream.receive()
                stream.close()
                stream = None
            stream = stream or IngestStream(connection)
            stream.send(batch)
            while stream.ahead >= RPC_BATCHES_AHEAD_MAX:
                yield stream.receive()
        while stream is not None and stream.ahead:
            yield stream.receive()
    finally:
        if stream is not None:
            stream.close()


def _batches(drafts: Iterable[Draft]) -> Iterator[list[pb2.Draft]]:
    batch: list[pb2.Draft] = []
    size = 0
    for draft in drafts:
        message = DRAFT.write(_short(draft))
        bytes_more = message.ByteSize()
        if batch and (
            len(batch) == APPEND_BATCH_EVENTS_MAX or size + bytes_more > RPC_BATCH_BYTES_MAX
        ):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += bytes_more
    if batch:
        yield batch


def _short(draft: Draft) -> Draft:
    """Cut a text as the log itself would: the daemon refuses longer ones."""
    if len(draft.text) <= EVENT_TEXT_CHARS_MAX:
        return draft
    return replace(draft, text=cut(draft.text, EVENT_TEXT_CHARS_MAX))
