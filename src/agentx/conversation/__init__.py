"""The log: every event of every session, append-only."""

from agentx.conversation.contents import (
    CaughtUp,
    Contents,
    ContentsRules,
    Expansion,
    NodePage,
)
from agentx.conversation.extract import Extractive
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
from agentx.conversation.model_summary import ModelSummariser
from agentx.conversation.service import Conversation, EventsAppended, EventsForgotten
from agentx.conversation.summariser import Summariser
from agentx.conversation.toc_model import Bullet, Grip, Kind, Span, TocNode, Topic

__all__ = [
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
