"""One place where the memory is asked: questions about time and place, and all others.

    what was I doing last week?          the table of contents and the newest sessions
    what did we decide about retries?    the index of words

What is typed as words (`bm25`) is never taken for a question about time.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo

from agentx.kernel.clock import Millis
from agentx.memory.found import SearchHit, SearchReply, SearchRequest
from agentx.recall.history.asked import HistoryQuestion, read_history
from agentx.recall.history.sources import HistorySources
from agentx.recall.question.answer import Searched, check_request, search
from agentx.recall.question.intent import is_asking
from agentx.recall.question.when import list_unread

_PLACES = frozenset({"event", "toc_node", "grip"})


def ask(searched: Searched, history: HistorySources, request: SearchRequest) -> SearchReply:
    """Return what answers a request best.

    Raises: InvalidValue for a request that cannot be, UnavailableError, DataError.
    """
    check_request(request)
    asked = _read_history(history, request) if request.mode == "auto" and not request.like else None
    if asked is None:
        return _say_unread(search(searched, request), request, history.zone)
    from agentx.recall.history.reply import answer_history  # noqa: PLC0415  few ask for a time

    def find(words: str, since_ms: Millis, until_ms: Millis) -> tuple[SearchHit, ...]:
        then = replace(
            request, query=words, since_ms=since_ms, until_ms=until_ms, now_ms=None, explain=False
        )
        return search(searched, then).hits

    told = answer_history(replace(history, words_of=find), request, asked)
    told = _say_unread(told, request, history.zone)
    return told if request.explain else replace(told, plan=())


def _say_unread(reply: SearchReply, request: SearchRequest, zone: tzinfo) -> SearchReply:
    """Return a reply that says which times of a question were taken for words."""
    if request.mode != "auto" or request.now_ms is None or not is_asking(request.query):
        return reply
    unread = list_unread(request.query, now_ms=request.now_ms, zone=zone)
    notes = [f"{each} is no date." for each in unread.no_dates]
    notes += [f"Not understood as a time, only as words: {each}" for each in unread.others]
    return replace(reply, notes=(*notes, *reply.notes)) if notes else reply


def _read_history(history: HistorySources, request: SearchRequest) -> HistoryQuestion | None:
    """Read a question about time and place; None where it has a subject, or a kind is wanted."""
    if request.now_ms is None or (len(request.kinds) == 1 and not _PLACES & {*request.kinds}):
        return None
    return read_history(request.query, now_ms=request.now_ms, zone=history.zone)
