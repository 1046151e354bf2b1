"""Codex: its hooks and its rollouts, in our words."""

from __future__ import annotations

from agentx.adapters.codex.hooks import drafts
from agentx.adapters.codex.transcripts import discover, in_use, read

__all__ = ["drafts", "discover", "read", "in_use"]
