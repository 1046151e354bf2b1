"""Claude Code: its hooks and its transcripts, in our words."""

from __future__ import annotations

from agentx.adapters.claude_code.hooks import drafts
from agentx.adapters.claude_code.transcripts import discover, in_use, read

__all__ = ["drafts", "discover", "read", "in_use"]
