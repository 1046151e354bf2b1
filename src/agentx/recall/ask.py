"""One place where the memory is asked: questions about time and place, and all others.

    what was I doing last week?          the table of contents and the newest sessions
    what did we decide about retries?    the index of words

What is typed as words (`bm25`) is never taken for a question about time.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.memory.found import SearchReply, SearchRequest
from agentx.recall.history.reply import HistorySources, answer_history
from agentx.recall.question.answer import Searched, check_request, search


def ask(searched: Searched, history: HistorySources, request: SearchRequest) -> SearchReply:
    """Return what answers a request best.

    Raises: InvalidValue for a request that cannot be.
    """
    check_request(request)
    told = answer_history(history, request) if request.mode == "auto" else None
    if told is None:
        return search(searched, request)
    return told if request.explain else replace(told, plan=())
