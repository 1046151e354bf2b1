"""Codex: its hooks and its rollouts, in our words."""
