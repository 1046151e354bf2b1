"""Copilot CLI: its hooks and its session events, in our words."""

from __future__ import annotations

from agentx.adapters.copilot.hooks import drafts
from agentx.adapters.copilot.transcripts import discover, in_use, read

__all__ = ["drafts", "discover", "read", "in_use"]
