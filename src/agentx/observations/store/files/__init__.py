"""Observations in JSON files with a journal."""
