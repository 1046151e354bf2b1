"""Bounds of running an agent CLI."""

# An agent that failed is asked once more after this, and then a person is called.
CLARIFY_AGAIN_AFTER_MS = 30_000
# What is put in front of an agent of a thread, and of each artifact of an issue.
CLARIFY_THREAD_TOKENS_MAX = 2_000
CLARIFY_ARTIFACT_CHARS_MAX = 24_000
CLARIFY_ARTIFACTS_MAX = 8
# How long an agent may think about one question.
AGENT_ASK_WAIT_MS = 5 * 60 * 1000
# What a role's own text may hold: it is sent with every question.
ROLE_TEXT_BYTES_MAX = 64 * 1024
# What a model's context holds, and where a loop takes care of it (specified).
CONTEXT_TOKENS_MAX = 200_000
CONTEXT_WARN_PERCENT = 50
CONTEXT_COMPACT_PERCENT = 75
CONTEXT_CRITICAL_PERCENT = 90
# Messages of a conversation that stay as they were when it is compacted: the thread of thought.
COMPACTION_RECENT_MAX = 6
# What a compaction summary may cost: a tenth of what it stands for, and no more than this.
COMPACTION_SUMMARY_CHARS_MAX = 24_000
