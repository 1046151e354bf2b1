"""Questions and what was found, as protobuf messages, and back."""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.memory.found import REMEMBERED, SearchHit, SearchReply, SearchRequest
from agentx.memory.wire._generated import memory_pb2 as pb2
from agentx.memory.wire.messages import whole


def request_message(request: SearchRequest) -> pb2.SearchRequest:
    """Write a question."""
    return pb2.SearchRequest(
        query=whole(request.query),
        kinds=request.kinds,
        agent=whole(request.agent),
        harness=whole(request.harness),
        role=whole(request.role),
        session_id=whole(request.session_id),
        issue=whole(request.issue),
        since_ms=request.since_ms,
        until_ms=request.until_ms,
        now_ms=request.now_ms,
        limit=request.limit,
        explain=request.explain,
    )


def request_value(message: pb2.SearchRequest, mode: str) -> SearchRequest:
    """Read a question."""
    return SearchRequest(
        query=message.query,
        kinds=tuple(message.kinds) or REMEMBERED,
        agent=message.agent,
        harness=message.harness,
        role=message.role,
        session_id=message.session_id,
        issue=message.issue,
        since_ms=Millis(message.since_ms) if message.HasField("since_ms") else None,
        until_ms=Millis(message.until_ms) if message.HasField("until_ms") else None,
        now_ms=Millis(message.now_ms) if message.HasField("now_ms") else None,
        mode=mode,
        limit=message.limit or 10,
        explain=message.explain,
    )


def reply_message(reply: SearchReply) -> pb2.SearchResponse:
    """Write what was found."""
    return pb2.SearchResponse(
        hits=[_hit_message(hit) for hit in reply.hits],
        sessions=[whole(session) for session in reply.sessions],
        layers=reply.layers,
        plan=[whole(line) for line in reply.plan],
    )


def reply_value(message: pb2.SearchResponse) -> SearchReply:
    """Read what was found."""
    return SearchReply(
        hits=tuple(_hit_value(hit) for hit in message.hits),
        sessions=tuple(message.sessions),
        layers=tuple(message.layers),
        plan=tuple(message.plan),
    )


def _hit_message(hit: SearchHit) -> pb2.SearchHit:
    return pb2.SearchHit(
        doc_id=hit.doc_id,
        kind=hit.kind,
        score=hit.score,
        snippet=whole(hit.snippet),
        marks=[position for mark in hit.marks for position in mark],
        timestamp_ms=hit.timestamp_ms,
        project=whole(hit.project),
        session_id=whole(hit.session_id),
        harness=whole(hit.harness),
        agent=whole(hit.agent),
        role=whole(hit.role),
        issue=whole(hit.issue),
        tokens=hit.tokens,
        also=hit.also,
        why=hit.why,
    )


def _hit_value(message: pb2.SearchHit) -> SearchHit:
    marks = list(message.marks)
    return SearchHit(
        doc_id=message.doc_id,
        kind=message.kind,
        score=message.score,
        snippet=message.snippet,
        marks=tuple(zip(marks[::2], marks[1::2], strict=False)),
        timestamp_ms=Millis(message.timestamp_ms),
        project=message.project,
        session_id=message.session_id,
        harness=message.harness,
        agent=message.agent,
        role=message.role,
        issue=message.issue,
        tokens=message.tokens,
        also=tuple(message.also),
        why=tuple(message.why),
    )
