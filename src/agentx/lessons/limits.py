"""Bounds of what runs teach."""

# What a lesson is called when nobody gave it a name: the beginning of what it says.
LESSON_NAME_CHARS = 60
# What one run may teach; more is a log, not lessons.
LESSONS_PER_RUN_MAX = 30
