"""Summaries without a model: chosen from what was said, the same every time."""
