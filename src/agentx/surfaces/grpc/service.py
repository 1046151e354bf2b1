"""The gRPC service: read the message, call the memory, write the answer.

It holds nothing but the way to the memory. An acknowledgement is sent after the
memory's `append` returned, and that returns after the events are on disk.
"""

# ruff: noqa: N802, ARG002  the proto names the methods, and each is handed its request
from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import grpc

from agentx.conversation.model import EventQuery
from agentx.daemon.activity import Activity
from agentx.daemon.scheduler import Scheduler
from agentx.kernel.capture import Draft
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import AgentXError, InvalidValue, LimitError, UnavailableError
from agentx.kernel.ids import project_id
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX, TOC_PAGE_MAX
from agentx.memory.limits import EMBED_SLICES_MAX, RPC_MESSAGE_BYTES_MAX
from agentx.memory.port import Memory, MemoryStatus
from agentx.memory.wire import (
    job_messages,
    messages,
    retrieval_messages,
    search_messages,
    status_messages,
    toc_messages,
)
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.errors import refuse
from agentx.surfaces.grpc.access import PROJECT_HEADER

_log = logging.getLogger(__name__)

# Room for what a message holds beside its events.
_PAGE_BYTES_MAX = RPC_MESSAGE_BYTES_MAX - 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The process that serves, as it tells about itself."""

    pid: int
    started_ms: Millis
    clock: Clock
    stop: Callable[[], None]  # asks the process to end; returns at once


class MemoryServer:
    """Answers calls from a memory that is safe to use from many threads."""

    def __init__(
        self,
        memory: Memory,
        host: Host,
        activity: Activity,
        scheduler: Scheduler | None = None,
    ) -> None:
        self._memory = memory
        self._host = host
        self._activity = activity
        self._scheduler = scheduler

    def IngestEvent(
        self, request: pb2.IngestEventRequest, context: grpc.ServicerContext
    ) -> pb2.IngestEventResponse:
        """Store one event."""
        with self._answering(context):
            if not request.HasField("event"):
                raise InvalidValue("event is missing", hint="send the event to store")
            receipt = self._of(context).append((messages.draft_value(request.event),))
            return pb2.IngestEventResponse(receipt=messages.receipt_message(receipt))

    def IngestEvents(
        self, request_iterator: Iterator[pb2.IngestEventsRequest], context: grpc.ServicerContext
    ) -> Iterator[pb2.IngestEventsResponse]:
        """Store batches; acknowledge each after it is on disk."""
        with self._answering(context):
            before = -1
            for batch in self._awaited(request_iterator):
                drafts = _checked(batch, before)
                before = batch.sequence
                receipt = self._of(context).append(drafts)
                yield pb2.IngestEventsResponse(
                    sequence=batch.sequence, receipt=messages.receipt_message(receipt)
                )

    def DrainSpool(
        self, request: pb2.DrainSpoolRequest, context: grpc.ServicerContext
    ) -> pb2.DrainSpoolResponse:
        """Take what hooks have spooled."""
        with self._answering(context):
            return messages.drained_message(self._of(context).drain())

    def ForgetEvents(
        self, request: pb2.ForgetEventsRequest, context: grpc.ServicerContext
    ) -> pb2.ForgetEventsResponse:
        """Erase an event or a session for good."""
        with self._answering(context):
            if not (request.event_id or request.session_id):
                raise InvalidValue(
                    "nothing to forget was named", hint="send event_id or session_id"
                )
            forgotten = self._of(context).forget(
                event_id=request.event_id, session_id=request.session_id
            )
            return messages.forgotten_message(forgotten)

    def GetEvents(
        self, request: pb2.GetEventsRequest, context: grpc.ServicerContext
    ) -> pb2.GetEventsResponse:
        """Return a page of events."""
        with self._answering(context):
            return _page(self._of(context), messages.event_query_value(request))

    def GetEvent(
        self, request: pb2.GetEventRequest, context: grpc.ServicerContext
    ) -> pb2.GetEventResponse:
        """Return one event."""
        with self._answering(context):
            if not request.event_id:
                raise InvalidValue("event_id is missing", hint="send the id of an event")
            event = self._of(context).event(request.event_id)
            return pb2.GetEventResponse(event=messages.event_message(event))

    def ListSessions(
        self, request: pb2.ListSessionsRequest, context: grpc.ServicerContext
    ) -> pb2.ListSessionsResponse:
        """Return sessions, newest first."""
        with self._answering(context):
            found = self._of(context).sessions(messages.session_query_value(request))
            return pb2.ListSessionsResponse(
                sessions=[messages.session_message(session) for session in found]
            )

    def GetStatus(
        self, request: pb2.GetStatusRequest, context: grpc.ServicerContext
    ) -> pb2.GetStatusResponse:
        """Say what is remembered and who serves it."""
        with self._answering(context):
            return status_messages.status_message(self._status(self._of(context)))

    def GetSchedulerStatus(
        self, request: pb2.GetSchedulerStatusRequest, context: grpc.ServicerContext
    ) -> pb2.GetSchedulerStatusResponse:
        """Say how every job stands."""
        with self._answering(context):
            return job_messages.scheduler_status_message(self._jobs().status())

    def PauseJob(
        self, request: pb2.PauseJobRequest, context: grpc.ServicerContext
    ) -> pb2.PauseJobResponse:
        """Let a job run no more by itself."""
        with self._answering(context):
            job = self._jobs().pause(request.name)
            return pb2.PauseJobResponse(job=job_messages.job_message(job))

    def ResumeJob(
        self, request: pb2.ResumeJobRequest, context: grpc.ServicerContext
    ) -> pb2.ResumeJobResponse:
        """Let a job run by itself again."""
        with self._answering(context):
            job = self._jobs().resume(request.name)
            return pb2.ResumeJobResponse(job=job_messages.job_message(job))

    def RunJob(
        self, request: pb2.RunJobRequest, context: grpc.ServicerContext
    ) -> pb2.RunJobResponse:
        """Run a job now; answer when it is done."""
        with self._answering(context):
            return job_messages.run_message(self._jobs().run_now(request.name))

    def SyncViews(
        self, request: pb2.SyncViewsRequest, context: grpc.ServicerContext
    ) -> pb2.SyncViewsResponse:
        """Bring the views up to date."""
        with self._answering(context):
            done = self._of(context).catch_up()
            return pb2.SyncViewsResponse(events=done.events, nodes=done.nodes)

    def RebuildToc(
        self, request: pb2.RebuildTocRequest, context: grpc.ServicerContext
    ) -> pb2.RebuildTocResponse:
        """Make the table of contents from nothing."""
        with self._answering(context):
            done = self._of(context).rebuild_toc()
            return pb2.RebuildTocResponse(events=done.events, nodes=done.nodes)

    def RebuildIndex(
        self, request: pb2.RebuildIndexRequest, context: grpc.ServicerContext
    ) -> pb2.RebuildIndexResponse:
        """Make an index from nothing."""
        with self._answering(context):
            entries = self._of(context).rebuild_index(request.index)
            return pb2.RebuildIndexResponse(entries=entries)

    def GetTocRoot(
        self, request: pb2.GetTocRootRequest, context: grpc.ServicerContext
    ) -> pb2.GetTocRootResponse:
        """Return the years."""
        with self._answering(context):
            nodes = self._of(context).toc_roots()
            return pb2.GetTocRootResponse(nodes=[toc_messages.node_message(n) for n in nodes])

    def GetNode(
        self, request: pb2.GetNodeRequest, context: grpc.ServicerContext
    ) -> pb2.GetNodeResponse:
        """Return one node."""
        with self._answering(context):
            node = self._of(context).toc_node(request.node_id)
            return pb2.GetNodeResponse(node=toc_messages.node_message(node))

    def BrowseToc(
        self, request: pb2.BrowseTocRequest, context: grpc.ServicerContext
    ) -> pb2.BrowseTocResponse:
        """Return the parts of a node."""
        with self._answering(context):
            page = self._of(context).browse(
                request.node_id, cursor=request.cursor, limit=request.limit or TOC_PAGE_MAX
            )
            return toc_messages.page_message(page)

    def ExpandGrip(
        self, request: pb2.ExpandGripRequest, context: grpc.ServicerContext
    ) -> pb2.ExpandGripResponse:
        """Return the evidence of a bullet."""
        with self._answering(context):
            found = self._of(context).expand(
                request.grip_id, before=request.before, after=request.after
            )
            return toc_messages.expansion_message(found)

    def TeleportSearch(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext
    ) -> pb2.SearchResponse:
        """Find by words."""
        return self._found(request, context, "bm25")

    def VectorTeleport(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext
    ) -> pb2.SearchResponse:
        """Find by meaning."""
        return self._found(request, context, "vector")

    def HybridSearch(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext
    ) -> pb2.SearchResponse:
        """Find by words and by meaning."""
        return self._found(request, context, "hybrid")

    def GetRetrievalCapabilities(
        self, request: pb2.GetRetrievalCapabilitiesRequest, context: grpc.ServicerContext
    ) -> pb2.GetRetrievalCapabilitiesResponse:
        """Say which ways of searching work."""
        with self._answering(context):
            return retrieval_messages.capabilities_message(self._of(context).capabilities())

    def GetIndexStatus(
        self, request: pb2.GetIndexStatusRequest, context: grpc.ServicerContext
    ) -> pb2.GetIndexStatusResponse:
        """Say how the indexes stand."""
        with self._answering(context):
            return retrieval_messages.report_message(self._of(context).index_report())

    def EmbedNews(
        self, request: pb2.EmbedNewsRequest, context: grpc.ServicerContext
    ) -> pb2.EmbedNewsResponse:
        """Embed some more."""
        with self._answering(context):
            slices = max(1, min(request.slices, EMBED_SLICES_MAX))
            done = self._of(context).embed(slices=slices)
            return retrieval_messages.embedding_message(done)

    def RouteQuery(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext
    ) -> pb2.SearchResponse:
        """Answer a question."""
        return self._found(request, context, "auto")

    def _found(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext, mode: str
    ) -> pb2.SearchResponse:
        with self._answering(context):
            reply = self._of(context).search(search_messages.request_value(request, mode))
            return search_messages.reply_message(reply)

    def Stop(self, request: pb2.StopRequest, context: grpc.ServicerContext) -> pb2.StopResponse:
        """Ask the daemon to end."""
        with self._answering(context):
            self._host.stop()
            return pb2.StopResponse(pid=self._host.pid)

    def _awaited(
        self, batches: Iterator[pb2.IngestEventsRequest]
    ) -> Iterator[pb2.IngestEventsRequest]:
        """Yield what the caller sends; in between, the call is not at work."""
        while True:
            with self._activity.waiting():
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _jobs(self) -> Scheduler:
        if self._scheduler is None:
            raise UnavailableError("this daemon has no scheduler", hint="start `agentx daemon`")
        return self._scheduler

    def _of(self, context: grpc.ServicerContext) -> Memory:
        """Return the memory of the project that the caller speaks of; one store may hold several.

        Raises: InvalidValue for a name that cannot be.
        """
        named = dict(context.invocation_metadata()).get(PROJECT_HEADER, "")
        return self._memory.of_project(project_id(str(named))) if named else self._memory

    def _status(self, memory: Memory) -> MemoryStatus:
        return replace(
            memory.status(),
            served_by="daemon",
            daemon_pid=self._host.pid,
            daemon_uptime_ms=max(0, self._host.clock.now_ms() - self._host.started_ms),
        )

    @contextmanager
    def _answering(self, context: grpc.ServicerContext) -> Iterator[None]:
        """Count the call as activity and turn what goes wrong into a status."""
        with self._activity.working():
            try:
                yield
            except AgentXError as error:
                refuse(context, error)
            except grpc.RpcError:
                raise  # the caller has gone
            except Exception as error:  # noqa: BLE001  one of the three places: a surface's outermost frame
                _log.exception("a call failed; nothing that was acknowledged is lost")
                said = UnavailableError(
                    f"the daemon failed: {type(error).__name__}: {error}",
                    hint="see the daemon's log",
                )
                refuse(context, said, status=grpc.StatusCode.INTERNAL)


def _page(memory: Memory, query: EventQuery) -> pb2.GetEventsResponse:
    """Return a page that fits a message; a shorter one has a cursor, so nothing is missed."""
    page = messages.event_page_message(memory.events(query))
    while (size := page.ByteSize()) > _PAGE_BYTES_MAX:
        count = len(page.events)
        if count == 1:
            raise LimitError(
                f"{page.events[0].event_id} has {size:,} bytes: more than a message holds"
            )
        # Events differ in size, so aim below the share that would fit exactly.
        fewer = max(1, min(count - 1, count * _PAGE_BYTES_MAX // size * 3 // 4))
        page = messages.event_page_message(memory.events(replace(query, limit=fewer)))
    return page


def _checked(batch: pb2.IngestEventsRequest, before: int) -> tuple[Draft, ...]:
    """Return the drafts of a batch, or refuse all of it.

    Raises: InvalidValue, LimitError.
    """
    if batch.sequence <= before:
        raise InvalidValue(
            f"batch {batch.sequence} came after batch {before}",
            hint="sequence must grow within a stream",
        )
    if len(batch.events) > APPEND_BATCH_EVENTS_MAX:
        raise LimitError(
            f"batch {batch.sequence} has {len(batch.events):,} events: more than a batch holds",
            hint=f"send at most {APPEND_BATCH_EVENTS_MAX:,} a batch",
        )
    return tuple(
        messages.draft_value(draft, f"batch {batch.sequence} events[{index}]")
        for index, draft in enumerate(batch.events)
    )
