"""Runs on disk: events as lines, everything else made from them, lanes in git."""
