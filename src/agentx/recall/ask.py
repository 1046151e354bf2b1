"""One place where the memory is asked: questions about time and place, and all others.

    what was I doing last week?          the table of contents and the newest sessions
    what did we decide about retries?    the index of words

What is typed as words (`bm25`) is never taken for a question about time.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.memory.found import SearchReply, SearchRequest
from agentx.recall.history.asked import HistoryQuestion, read_history
from agentx.recall.history.sources import HistorySources
from agentx.recall.question.answer import Searched, check_request, search

_PLACES = frozenset({"event", "toc_node", "grip"})


def ask(searched: Searched, history: HistorySources, request: SearchRequest) -> SearchReply:
    """Return what answers a request best.

    Raises: InvalidValue for a request that cannot be, UnavailableError, DataError.
    """
    check_request(request)
    asked = _read_history(history, request) if request.mode == "auto" else None
    if asked is None:
        return search(searched, request)
    from agentx.recall.history.reply import answer_history  # noqa: PLC0415  few ask for a time

    told = answer_history(history, request, asked)
    return told if request.explain else replace(told, plan=())


def _read_history(history: HistorySources, request: SearchRequest) -> HistoryQuestion | None:
    """Read a question about time and place; None where it has a subject, or a kind is wanted."""
    if request.now_ms is None or (len(request.kinds) == 1 and not _PLACES & {*request.kinds}):
        return None
    return read_history(request.query, now_ms=request.now_ms, zone=history.zone)
