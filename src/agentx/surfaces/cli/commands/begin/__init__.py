"""Set up, import, look."""
