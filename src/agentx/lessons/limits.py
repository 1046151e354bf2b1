"""Bounds of what runs teach."""

# What a lesson is called when nobody gave it a name: the beginning of what it says.
LESSON_NAME_CHARS = 60
# How much of a check's command its lesson is named after.
CHECK_NAME_CHARS = 80
# What of a lesson is told for a task, and what all of them may cost there.
LESSON_TOLD_CHARS = 700
LESSONS_TOLD_TOKENS = 2_000
# What one run may teach; more is a log, not lessons.
LESSONS_PER_RUN_MAX = 30
