"""Lessons on disk, and what of them is held in the user's folder."""
