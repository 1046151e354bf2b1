"""Observations in SQLite."""
