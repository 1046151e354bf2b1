"""Bounds of an answer and of what is told at session start."""

# Texts compared with each other for sameness; all pairs are looked at.
LIKENESS_HITS_MAX = 60
# Open questions that are shown to an agent at session start; the rest are counted.
CLARIFY_INBOX_MAX = 10
# The present that "last week" is counted from, and that "next year" still has: near the year 9900.
NOW_MS_MAX = 250_000_000_000_000
# What a settled question is kept as: its topic, the question and what was decided.
KNOWN_ANSWER_CHARS_MAX = 1_000
KNOWN_ASKED_CHARS_MAX = 300
# Files that a settled question is said to speak of, and memories that are held against one.
KNOWN_FILES_MAX = 20
KNOWN_MEMORIES_MAX = 60
