"""How long a sentence, a title and the words of a text may be."""

# One line of a summary: what a person takes in at a glance.
BULLET_CHARS_MAX = 240
# A sentence longer than this is none; its beginning is proof enough.
EXCERPT_CHARS_MAX = 1_000
TITLE_CHARS_MAX = 80
KEYWORDS_MAX = 12
# What the summariser reads of one event: the head, where the point is, and the tail, where the
# outcome is. Bounds the work on a 1 MB line.
SUMMARY_HEAD_CHARS_MAX = 8_000
SUMMARY_TAIL_CHARS_MAX = 4_000
# What is read of a prompt to tell whether it begins a task.
TASK_HEAD_CHARS_MAX = 1_000
# A longer prompt is a plan or a report, not a remark.
TASK_PLAN_CHARS_MIN = 600
