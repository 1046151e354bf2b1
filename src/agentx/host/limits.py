"""How long and how large things on this machine may be."""

# A lock without a sign of life for so long was left by the dead; its holder gives one often.
LOCK_STALE_MS = 30_000
LOCK_HEARTBEAT_MS = 5_000
# How often and how long a lock is waited for (specified; the outer bounds).
LOCK_TRIES_MAX = 5
LOCK_FIRST_WAIT_MS = 200
LOCK_LAST_WAIT_MS = 5_000
# How often somebody who waits looks again.
LOCK_POLL_MS = 10
# The outbox only wakes projections; past this size RocksDB drops its oldest files.
OUTBOX_BYTES_MAX = 64 * 1024 * 1024
# How long a command waits for another one that has the store open.
STORE_OPEN_WAIT_MS = 10_000
# A log file is closed at this size, and so many are kept.
LOG_FILE_BYTES_MAX = 5 * 1024 * 1024
LOG_FILES_MAX = 5
# Git answers in milliseconds; on a dead network mount it never does.
GIT_WAIT_MS = 5_000
# How long one append waits for another to the same file; each takes milliseconds.
JOURNAL_WAIT_MS = 10_000
# One line of our own log; longer texts in it are cut.
LOG_LINE_BYTES_MAX = 64 * 1024
# Git that writes: a checkout of a large repository takes a while, one that hangs never ends.
GIT_WORK_WAIT_MS = 300_000
# No file of ours in a repository is larger; one that is was put there by somebody else.
PLAIN_FILE_BYTES_MAX = 64 * 1024 * 1024
# No folder of ours lies deeper below another; what does has no end.
FOLDERS_DEEP_MAX = 16
# No document of ours is nested deeper; a library that follows one without end dies of it.
DOCUMENT_DEPTH_MAX = 200
# How many parts a document may have by naming what stands elsewhere in it, beside those it writes.
DOCUMENT_PARTS_NAMED_MAX = 100_000
# Git that reads much, for somebody who waits for it.
GIT_READ_WAIT_MS = 60_000
# A folder in which git once gave no answer is left alone for so long.
GIT_SILENT_MS = 60_000
# How long a program that was told to end may take before it is killed.
PROGRAM_KILL_GRACE_MS = 2_000
# What a program may print before the rest is dropped: answers are thousands of times smaller.
PROGRAM_OUTPUT_BYTES_MAX = 32 * 1024 * 1024
# How long who was left behind by a command may take to go; the kill itself takes a moment.
ORPHANS_END_MS = 3_000
