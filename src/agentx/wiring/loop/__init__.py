"""The loop of a project, put together."""
