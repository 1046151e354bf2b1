"""Observations: read, written, checked, counted."""
