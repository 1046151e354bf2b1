"""Summaries without a model: chosen from what was said, the same every time."""

from agentx.conversation.extract.summary import NAME, Extractive

__all__ = ["NAME", "Extractive"]
