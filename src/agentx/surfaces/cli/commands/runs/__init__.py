"""Runs and what they taught."""
