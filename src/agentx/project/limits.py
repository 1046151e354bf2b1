"""Bounds of what the user says once for all projects."""

# What is never captured: a hook reads all of it at every call.
EXCLUDED_BYTES_MAX = 65_536
