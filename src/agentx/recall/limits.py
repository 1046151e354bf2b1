"""Bounds of an answer and of what is told at session start."""

# Texts compared with each other for sameness; all pairs are looked at.
LIKENESS_HITS_MAX = 60
# Open questions that are shown to an agent at session start; the rest are counted.
CLARIFY_INBOX_MAX = 10
# The present that "last week" is counted from, and that "next year" still has: near the year 9900.
NOW_MS_MAX = 250_000_000_000_000
