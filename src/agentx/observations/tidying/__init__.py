"""Keeping what is remembered clean: likes joined, what was dropped kept out."""
