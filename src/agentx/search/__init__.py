"""Finds text. Knows documents, words and scores, and nothing of the rooms."""
