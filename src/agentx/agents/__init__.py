"""Agents at work: roles, runners, the hub, sessions and what fits into a context."""
