"""Ordered rows of bytes: the port, in memory, on disk."""
