"""The log: every event of every session, append-only; and the table of contents made from it.

The nouns are here at once. The verbs and what makes them work (RocksDB, the cipher,
the summariser) are imported when they are first asked for: a command that speaks to
the daemon needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from agentx.conversation.model import (
    Event,
    EventPage,
    EventQuery,
    Forgotten,
    LogStatus,
    Receipt,
    Session,
    SessionQuery,
)
from agentx.conversation.toc_model import (
    Bullet,
    CaughtUp,
    Expansion,
    Grip,
    Kind,
    NodePage,
    Span,
    TocNode,
    Topic,
)

if TYPE_CHECKING:
    from agentx.conversation.contents import Contents, ContentsRules
    from agentx.conversation.extract import Extractive
    from agentx.conversation.model_summary import ModelSummariser
    from agentx.conversation.service import Conversation, EventsAppended, EventsForgotten
    from agentx.conversation.store.feed import Feed, FeedNews
    from agentx.conversation.summariser import Summariser

_VERBS = {
    "Contents": "contents",
    "ContentsRules": "contents",
    "Conversation": "service",
    "EventsAppended": "service",
    "EventsForgotten": "service",
    "Extractive": "extract",
    "Feed": "store.feed",
    "FeedNews": "store.feed",
    "ModelSummariser": "model_summary",
    "Summariser": "summariser",
}


def __getattr__(name: str) -> Any:
    """Import a verb when it is first asked for."""
    if name not in _VERBS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_VERBS[name]}"), name)


__all__ = [
    "Feed",
    "FeedNews",
    "Bullet",
    "CaughtUp",
    "Contents",
    "ContentsRules",
    "Expansion",
    "Extractive",
    "Grip",
    "Kind",
    "Span",
    "Topic",
    "NodePage",
    "ModelSummariser",
    "Summariser",
    "TocNode",
    "Conversation",
    "Event",
    "EventPage",
    "EventQuery",
    "EventsAppended",
    "EventsForgotten",
    "Forgotten",
    "LogStatus",
    "Receipt",
    "Session",
    "SessionQuery",
]
