"""Bounds of a thread of questions."""

# A question that nobody answered in time is asked again so often.
CLARIFY_RETRIES_MAX = 1
# Answers that come after a person was called: so many are kept.
CLARIFY_LATE_ANSWERS_MAX = 3
# One line for what a settled thread came to.
CLARIFY_SUMMARY_CHARS_MAX = 600
# How long the asker's sessions are told what somebody else decided of its question.
CLARIFY_DECIDED_TOLD_MS = 7 * 24 * 60 * 60 * 1000
# How long the monitor waits for a ledger that others keep; whoever looks next does what is left.
CLARIFY_MONITOR_LOCK_WAIT_MS = 500
# One event of a question: a text of 2,000 characters and what stands beside it, or a whole row.
QUESTION_EVENT_BYTES_MAX = 4 * 1024 * 1024
# After so much a checkout begins another file of events.
QUESTION_FILE_BYTES_MAX = 16 * 1024 * 1024
# A question is held against the last so many that its target asked: what is asked back is near.
CLARIFY_ASKED_BACK_MAX = 20
