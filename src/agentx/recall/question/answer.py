"""Answer a question from everything the project remembers.

    auto    the question is read (who, when, what for), evidence is weighed at three scales
    bm25    the words as they are typed, with phrases, prefixes and misspellings

Where the index cannot answer, the table of contents does: slower, and by its lines only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import tzinfo

from agentx.conversation.contents import Contents
from agentx.conversation.toc_model import TocNode
from agentx.kernel.clock import Millis
from agentx.kernel.errors import IndexUnavailable, InvalidValue
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.memory.found import MODES, MODES_GONE, SearchHit, SearchReply, SearchRequest
from agentx.observations.ids import shorten_id
from agentx.recall.limits import NOW_MS_MAX
from agentx.recall.question.likeness import says_same
from agentx.recall.question.plan import Answer, Question, answer, explain
from agentx.recall.usage import UNUSED, RecallCounts
from agentx.search.analysis import terms
from agentx.search.document import Filters, Hit
from agentx.search.limits import SEARCH_HITS_MAX
from agentx.search.model import BY_WORDS, NO_VECTORS
from agentx.search.query import parse
from agentx.search.snippets import snippet
from agentx.search.text.index import Reading
from agentx.views.search_view import SearchView

_LAYERS = ("bm25 passages", "bm25 windows", "bm25 sessions")


@frozen
class Searched:
    """What is searched, of one project."""

    view: SearchView
    contents: Contents
    project: str
    zone: tzinfo
    usage: Callable[[], RecallCounts] = lambda: UNUSED


def search(sources: Searched, request: SearchRequest) -> SearchReply:
    """Return what fits best. No query is an error; one without words finds nothing.

    Raises: InvalidValue for a mode or a limit that cannot be.
    """
    check_request(request)
    filters = _filters(request, sources.project)
    try:
        index = sources.view.index()
        if request.like:
            return _list_alike(request, index.reading(), filters)
        if request.mode == "bm25":
            hits = index.search(parse(request.query), filters, request.limit)
            return _reply(request, hits, layers=("bm25",))
        question = Question(
            text=request.query,
            zone=sources.zone,
            now_ms=request.now_ms,
            filters=filters,
            limit=request.limit,
            usage=sources.usage(),
        )
        return _make_reply(request, answer(index, question))
    except IndexUnavailable:
        return _from_contents(sources.contents, request)


def check_request(request: SearchRequest) -> None:
    """Raise InvalidValue for a mode, a limit or a present that cannot be."""
    if request.mode in MODES_GONE:
        raise InvalidValue(NO_VECTORS, hint=BY_WORDS)
    if request.mode not in MODES:
        raise InvalidValue(f"{request.mode!r} is none of {', '.join(MODES)}")
    if not 1 <= request.limit <= SEARCH_HITS_MAX:
        raise InvalidValue(f"limit {request.limit} is outside 1 to {SEARCH_HITS_MAX}")
    if request.now_ms is not None and not 0 <= request.now_ms <= NOW_MS_MAX:
        raise InvalidValue(f"now_ms {request.now_ms} is no time of a calendar")


def _filters(request: SearchRequest, project: str) -> Filters:
    def one(value: str) -> tuple[str, ...]:
        return (value,) if value else ()

    return Filters(
        doc_types=request.kinds,
        projects=(project,),
        sessions=one(request.session_id),
        agents=one(request.agent),
        harnesses=one(request.harness),
        roles=one(request.role),
        issues=one(request.issue),
        since_ms=request.since_ms,
        until_ms=request.until_ms,
    )


def _make_reply(request: SearchRequest, found: Answer) -> SearchReply:
    wanted = frozenset(terms(request.query))
    explained = found.why if request.explain else {}
    why = {
        doc_id: tuple(
            f"{reason.name} {'x' if reason.is_leaning else '+'}{reason.value:.2f}"
            for reason in reasons
            if reason.value
        )
        for doc_id, reasons in explained.items()
    }
    return SearchReply(
        hits=tuple(
            _hit(
                memory.hit,
                wanted,
                also=memory.also,
                alike=memory.alike,
                why=why.get(memory.hit.doc_id, ()),
                origin=_say_replaced(
                    memory.hit.doc_type, found.replaced.get(memory.hit.doc_id, "")
                ),
            )
            for memory in found.memories
        ),
        sessions=tuple(each.session for each in found.sessions if each.session),
        layers=_LAYERS,
        plan=explain(found) if request.explain else (),
    )


def _say_replaced(kind: str, by: str) -> str:
    """Return what is said of what was overturned; an event may say more than what fell of it."""
    if not by:
        return ""
    return f"superseded by {shorten_id(by)}" + (", at least in part" if kind == "event" else "")


def _reply(request: SearchRequest, hits: tuple[Hit, ...], layers: tuple[str, ...]) -> SearchReply:
    wanted = frozenset(terms(request.query))
    return SearchReply(hits=tuple(_hit(hit, wanted) for hit in hits), layers=layers)


def _list_alike(request: SearchRequest, reading: Reading, filters: Filters) -> SearchReply:
    """Return what says the same as something, and that itself, newest first."""
    from agentx.search.text.alike import find_copies, find_near  # noqa: PLC0415  few ask for it

    copies = find_copies(reading, request.like, filters, request.limit)
    known = {hit.doc_id for hit in copies}
    near = find_near(reading, request.like, filters)
    alike = (hit for hit, own in near if hit.doc_id not in known and says_same(hit, own))
    hits = sorted((*copies, *alike), key=lambda hit: -hit.timestamp_ms)
    return _reply(request, tuple(hits[: request.limit]), layers=("copies",))


def _hit(
    hit: Hit,
    wanted: frozenset[str],
    *,
    also: tuple[str, ...] = (),
    alike: int = 0,
    why: tuple[str, ...] = (),
    origin: str = "",
) -> SearchHit:
    shown = snippet(hit.passage, wanted)
    return SearchHit(
        doc_id=hit.doc_id,
        kind=hit.doc_type,
        score=round(hit.score, 4),
        snippet=shown.text,
        marks=shown.marks,
        timestamp_ms=Millis(hit.timestamp_ms),
        project=hit.project,
        session_id=hit.session,
        harness=hit.harness,
        agent=hit.agent,
        role=hit.role,
        issue=hit.issue,
        tokens=estimate(hit.passage),
        also=also,
        alike=alike,
        why=why,
        origin=origin,
    )


def _from_contents(contents: Contents, request: SearchRequest) -> SearchReply:
    """Look through the table of contents, newest first: works with no index at all."""
    wanted = frozenset(terms(request.query))
    scored = []
    for node in _walk(contents):
        text = "\n".join((node.title, *(bullet.text for bullet in node.bullets)))
        shared = len(wanted & frozenset(terms(text)))
        in_time = (request.since_ms or 0) <= node.end_ms and (
            request.until_ms is None or node.start_ms < request.until_ms
        )
        if shared and in_time:
            scored.append((shared, node, text))
    scored.sort(key=lambda each: (-each[0], -each[1].end_ms))
    hits = []
    for shared, node, text in scored[: request.limit]:
        shown = snippet(text, wanted)
        hits.append(
            SearchHit(
                doc_id=node.node_id,
                kind="toc_node",
                score=float(shared),
                snippet=shown.text,
                marks=shown.marks,
                timestamp_ms=node.end_ms,
                project="",
                session_id=node.sessions[0] if len(node.sessions) == 1 else "",
                harness=node.harnesses[0] if len(node.harnesses) == 1 else "",
                agent="",
                role="",
                issue="",
                tokens=estimate(text),
            )
        )
    return SearchReply(hits=tuple(hits), layers=("index unavailable", "table of contents"))


def _walk(contents: Contents) -> Iterator[TocNode]:
    left = list(contents.roots())
    while left:
        node = left.pop()
        if node.level == "segment":
            yield node
        else:
            left += contents.browse(node.node_id).nodes
