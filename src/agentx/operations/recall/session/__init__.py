"""One session, as people read it."""
