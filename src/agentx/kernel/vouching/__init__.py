"""Whose words something is: who signs, and what a reader can tell of it."""
