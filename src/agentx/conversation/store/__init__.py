"""The room on disk: the log, and the table of contents made from it."""

from agentx.conversation.store.log import Found, LogStore
from agentx.conversation.store.toc import TocStore

__all__ = ["Found", "LogStore", "TocStore"]
