"""A `Memory` on the other side of a connection.

Every call has a deadline. What goes wrong over there is raised here as the same
error. `append` sends batches ahead of their acknowledgements and returns when
each of them was acknowledged, which is after it was on disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc

from agentx.conversation.model import (
    Event,
    EventPage,
    EventQuery,
    Forgotten,
    Receipt,
    Session,
    SessionQuery,
)
from agentx.conversation.toc_model import CaughtUp, Expansion, NodePage, TocNode
from agentx.daemon.address import is_loopback
from agentx.daemon.presence import UNIX
from agentx.daemon.scheduler.model import JobRun, JobStatus, SchedulerStatus
from agentx.kernel.capture import Draft
from agentx.kernel.errors import DaemonUnavailable, InvalidValue
from agentx.kernel.ids import EventId
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX, EVENT_TEXT_CHARS_MAX, TOC_PAGE_MAX
from agentx.kernel.progress import Told, unheard
from agentx.kernel.text import cut
from agentx.memory.found import SearchReply, SearchRequest
from agentx.memory.limits import (
    RPC_BATCH_BYTES_MAX,
    RPC_BATCHES_AHEAD_MAX,
    RPC_INGEST_WAIT_MS,
    RPC_LONG_WAIT_MS,
    RPC_MESSAGE_BYTES_MAX,
    RPC_STREAM_AGE_MS_MAX,
    RPC_WAIT_MS,
)
from agentx.memory.port import Drained, MemoryStatus
from agentx.memory.wire import (
    job_messages,
    messages,
    retrieval_messages,
    search_messages,
    status_messages,
    toc_messages,
)
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire._generated.memory_pb2_grpc import MemoryServiceStub
from agentx.memory.wire.errors import raised
from agentx.search.model import Capabilities, Embedding, IndexReport
from agentx.surfaces.grpc.access import PROJECT_HEADER, bearer

_HEALTH_WAIT_MS = 1_000
_OPTIONS = (
    ("grpc.max_receive_message_length", RPC_MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", RPC_MESSAGE_BYTES_MAX),
    # A daemon is on this machine, or where the user said: never behind a proxy.
    ("grpc.enable_http_proxy", 0),
    # Whether to try again is the caller's decision.
    ("grpc.enable_retries", 0),
)

Request = TypeVar("Request")
Response = TypeVar("Response")


def dial(
    address: str,
    *,
    token: str = "",
    root_certificates: bytes | None = None,
    project: str = "",
) -> RemoteMemory:
    """Return the memory at an address; nothing is sent before the first call.

    `project` says which one is meant where a store holds several.

    Raises: InvalidValue when a token would travel in the clear to another machine.
    """
    return RemoteMemory(_channel(address, root_certificates), token, project)


def is_healthy(address: str, *, token: str = "", root_certificates: bytes | None = None) -> bool:
    """Tell whether a daemon at an address says that it serves."""
    from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415  needed only to start one

    with _channel(address, root_certificates) as channel:
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(),
                timeout=_HEALTH_WAIT_MS / 1000,
                metadata=bearer(token),
            )
        except grpc.RpcError:
            return False
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


class RemoteMemory:
    """A memory that a daemon serves, and its scheduler. Safe to use from many threads."""

    def __init__(self, channel: grpc.Channel, token: str = "", project: str = "") -> None:
        self._channel = channel
        self._stub = MemoryServiceStub(channel)
        self._token = token
        self._metadata = (*bearer(token), *(((PROJECT_HEADER, project),) if project else ()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._channel.close()

    def of_project(self, project: str) -> RemoteMemory:
        """Return the memory of another project in the same store."""
        return RemoteMemory(self._channel, self._token, project)

    def append(self, drafts: Iterable[Draft]) -> Receipt:
        """Store what is new; return after it is on disk."""
        stored: list[EventId] = []
        duplicates = forgotten = 0
        with _failures_raised():
            for receipt in _acknowledged(self._open_stream, _batches(drafts)):
                stored.extend(receipt.stored)
                duplicates += receipt.duplicates
                forgotten += receipt.forgotten
        return Receipt(stored=tuple(stored), duplicates=duplicates, forgotten=forgotten)

    def events(self, query: EventQuery) -> EventPage:
        """Return one page of events."""
        request = messages.event_query_message(query)
        return messages.event_page_value(self._call(self._stub.GetEvents, request))

    def event(self, event_id: str) -> Event:
        """Return one event."""
        request = pb2.GetEventRequest(event_id=messages.whole(event_id))
        return messages.event_value(self._call(self._stub.GetEvent, request).event)

    def sessions(self, query: SessionQuery) -> tuple[Session, ...]:
        """Return sessions, newest first."""
        request = messages.session_query_message(query)
        found = self._call(self._stub.ListSessions, request)
        return tuple(messages.session_value(session) for session in found.sessions)

    def drain(self) -> Drained:
        """Take what hooks have spooled for this project."""
        request = pb2.DrainSpoolRequest()
        return messages.drained_value(
            self._call(self._stub.DrainSpool, request, wait_ms=RPC_LONG_WAIT_MS)
        )

    def forget(self, *, event_id: str = "", session_id: str = "") -> Forgotten:
        """Erase an event or a session for good."""
        if event_id and session_id:
            raise InvalidValue("an event and a session were named", hint="name one of them")
        target = {"event_id": event_id} if event_id else {"session_id": session_id}
        request = pb2.ForgetEventsRequest(
            **{name: messages.whole(value) for name, value in target.items()}
        )
        return messages.forgotten_value(
            self._call(self._stub.ForgetEvents, request, wait_ms=RPC_LONG_WAIT_MS)
        )

    def catch_up(self, told: Told = unheard) -> CaughtUp:
        """Bring every view up to date with the log."""
        request = pb2.SyncViewsRequest()
        done = self._call(self._stub.SyncViews, request, wait_ms=RPC_LONG_WAIT_MS)
        told(1, 1)
        return toc_messages.caught_up_value(done)

    def rebuild_toc(self, told: Told = unheard) -> CaughtUp:
        """Make the table of contents from nothing."""
        request = pb2.RebuildTocRequest()
        done = self._call(self._stub.RebuildToc, request, wait_ms=RPC_LONG_WAIT_MS)
        told(1, 1)
        return toc_messages.caught_up_value(done)

    def rebuild_index(self, name: str, told: Told = unheard) -> int:
        """Make an index from nothing."""
        request = pb2.RebuildIndexRequest(index=messages.whole(name))
        done = self._call(self._stub.RebuildIndex, request, wait_ms=RPC_LONG_WAIT_MS)
        told(1, 1)
        return done.entries

    def search(self, request: SearchRequest) -> SearchReply:
        """Return what fits a question best."""
        methods = {
            "auto": self._stub.RouteQuery,
            "bm25": self._stub.TeleportSearch,
            "vector": self._stub.VectorTeleport,
            "hybrid": self._stub.HybridSearch,
        }
        if request.mode not in methods:
            raise InvalidValue(f"{request.mode!r} is none of {', '.join(methods)}")
        found = self._call(methods[request.mode], search_messages.request_message(request))
        return search_messages.reply_value(found)

    def embed(self, told: Told = unheard, *, slices: int = 0) -> Embedding:
        """Embed what is not yet: so many slices of about a second, or all that is left."""
        request = pb2.EmbedNewsRequest(slices=slices)
        documents = 0
        while True:
            answer = self._call(self._stub.EmbedNews, request, wait_ms=RPC_LONG_WAIT_MS)
            done = retrieval_messages.embedding_value(answer)
            documents += done.documents
            told(documents, documents + done.entries_left + done.events_left + done.sessions_left)
            if slices or not done.more:
                return replace(done, documents=documents)

    def capabilities(self) -> Capabilities:
        """Say which ways of searching work."""
        request = pb2.GetRetrievalCapabilitiesRequest()
        return retrieval_messages.capabilities_value(
            self._call(self._stub.GetRetrievalCapabilities, request)
        )

    def index_report(self) -> IndexReport:
        """Say how the indexes stand."""
        request = pb2.GetIndexStatusRequest()
        return retrieval_messages.report_value(self._call(self._stub.GetIndexStatus, request))

    def toc_roots(self) -> tuple[TocNode, ...]:
        """Return the years, newest first."""
        found = self._call(self._stub.GetTocRoot, pb2.GetTocRootRequest())
        return tuple(toc_messages.node_value(node) for node in found.nodes)

    def toc_node(self, node_id: str) -> TocNode:
        """Return one node of the table of contents."""
        request = pb2.GetNodeRequest(node_id=messages.whole(node_id))
        return toc_messages.node_value(self._call(self._stub.GetNode, request).node)

    def browse(self, node_id: str, *, cursor: str = "", limit: int = TOC_PAGE_MAX) -> NodePage:
        """Return the parts of a node, or the years, in order."""
        request = pb2.BrowseTocRequest(
            node_id=messages.whole(node_id), cursor=messages.whole(cursor), limit=limit
        )
        return toc_messages.page_value(self._call(self._stub.BrowseToc, request))

    def expand(self, grip_id: str, *, before: int, after: int) -> Expansion:
        """Return the evidence of a bullet with the events around it."""
        request = pb2.ExpandGripRequest(grip_id=messages.whole(grip_id), before=before, after=after)
        return toc_messages.expansion_value(self._call(self._stub.ExpandGrip, request))

    def status(self) -> MemoryStatus:
        """Say what is remembered."""
        return status_messages.status_value(
            self._call(self._stub.GetStatus, pb2.GetStatusRequest())
        )

    def scheduler_status(self) -> SchedulerStatus:
        """Say how every job of the daemon stands."""
        request = pb2.GetSchedulerStatusRequest()
        return job_messages.scheduler_status_value(
            self._call(self._stub.GetSchedulerStatus, request)
        )

    def pause_job(self, name: str) -> JobStatus:
        """Let a job run no more by itself."""
        request = pb2.PauseJobRequest(name=messages.whole(name))
        return job_messages.job_value(self._call(self._stub.PauseJob, request).job)

    def resume_job(self, name: str) -> JobStatus:
        """Let a job run by itself again."""
        request = pb2.ResumeJobRequest(name=messages.whole(name))
        return job_messages.job_value(self._call(self._stub.ResumeJob, request).job)

    def run_job(self, name: str) -> JobRun:
        """Run a job in the daemon and return when it is done; one that runs already is skipped."""
        request = pb2.RunJobRequest(name=messages.whole(name))
        return job_messages.run_value(
            self._call(self._stub.RunJob, request, wait_ms=RPC_LONG_WAIT_MS)
        )

    def stop_daemon(self, *, wait_ms: int = RPC_WAIT_MS) -> int:
        """Ask the daemon to end; return its process number. It goes after this returned."""
        return self._call(self._stub.Stop, pb2.StopRequest(), wait_ms=wait_ms).pid

    def _call(
        self,
        method: grpc.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        *,
        wait_ms: int = RPC_WAIT_MS,
    ) -> Response:
        with _failures_raised():
            return method(request, timeout=wait_ms / 1000, metadata=self._metadata)

    def _open_stream(self) -> _IngestStream:
        return _IngestStream(self._stub, self._metadata)


class _IngestStream:
    """One stream of batches, sent ahead of their acknowledgements."""

    def __init__(self, stub: MemoryServiceStub, metadata: tuple[tuple[str, str], ...]) -> None:
        # gRPC reads the batches in a thread of its own and holds it until it is given None.
        self._outgoing: SimpleQueue[pb2.IngestEventsRequest | None] = SimpleQueue()
        self._opened = time.monotonic()
        self._sent = 0
        self._received = 0
        self._call: Any = stub.IngestEvents(
            iter(self._outgoing.get, None),
            timeout=RPC_INGEST_WAIT_MS / 1000,
            metadata=metadata,
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
        return messages.receipt_value(answer.receipt)

    def close(self) -> None:
        """End the stream, whatever is still under way."""
        self._outgoing.put(None)
        self._call.cancel()


def _acknowledged(
    open_stream: Callable[[], _IngestStream], batches: Iterable[list[pb2.Draft]]
) -> Iterator[Receipt]:
    """Send batches and yield their receipts.

    A source may be slow, so a stream that has grown old is ended before the next batch: the
    deadline measures the daemon, not the source.
    """
    stream: _IngestStream | None = None
    try:
        for batch in batches:
            if stream is not None and stream.is_old:
                while stream.ahead:
                    yield stream.receive()
                stream.close()
                stream = None
            stream = stream or open_stream()
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
        message = messages.draft_message(_short(draft))
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


def _channel(address: str, root_certificates: bytes | None) -> grpc.Channel:
    if root_certificates is not None:
        credentials = grpc.ssl_channel_credentials(root_certificates)
        return grpc.secure_channel(address, credentials, options=_OPTIONS)
    host = address.rpartition(":")[0].removeprefix("[").removesuffix("]")
    if address.startswith(UNIX):
        # Other servers than Python's refuse a path as the name of a host.
        options = (*_OPTIONS, ("grpc.default_authority", "localhost"))
        return grpc.insecure_channel(address, options=options)
    if not is_loopback(host):
        raise InvalidValue(
            f"{address} is another machine: nothing is sent there in the clear",
            hint="give the certificate of its TLS",
        )
    return grpc.insecure_channel(address, options=_OPTIONS)


@contextmanager
def _failures_raised() -> Iterator[None]:
    try:
        yield
    except grpc.RpcError as failure:
        raise raised(failure) from failure
