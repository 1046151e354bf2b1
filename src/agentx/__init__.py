"""AgentX: the local-first memory and coordination layer for AI coding agents."""

__version__ = "0.1.0"
