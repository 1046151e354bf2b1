"""Agents at work, and the boundaries of their sessions."""
