"""Checks that are really run."""
