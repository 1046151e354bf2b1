"""Copilot CLI: its hooks and its session events, in our words."""
