"""Bounds of a run."""

# One line of a run's events: an artifact is the longest, and a page of that size is a book.
RUN_EVENT_BYTES_MAX = 4 * 1024 * 1024
# An artifact may be longer than other texts of an event.
RUN_ARTIFACT_CHARS_MAX = 1_000_000
# Fields an event may have beyond those of its type.
RUN_DETAILS_MAX = 50
# A file of events is closed at this size: every command that appends commits the whole file.
RUN_EVENT_FILE_BYTES_MAX = 256 * 1024
# What is taken in at once from the branch that keeps runs; whoever can push may put anything there.
RUN_KEPT_BYTES_MAX = 512 * 1024 * 1024
# More tasks than a person or a model can plan in one go.
RUN_TASKS_MAX = 5_000
# Lanes at work at once: each is a checkout of the whole repository.
RUN_LANES_OPEN_MAX = 64
# A source file handed to an agent with its task; longer ones are cut in the middle.
RUN_CONTEXT_FILE_CHARS_MAX = 40_000
# How long runs are kept (specified).
RUN_COMPLETED_DAYS = 30
RUN_FAILED_DAYS = 7
# What a packed run may hold when it is unpacked; a small file may claim to hold any amount.
RUN_ARCHIVE_BYTES_MAX = 256 * 1024 * 1024
# What is read of a check's output, its beginning and its end, and what is kept of that.
RUN_CHECK_HEAD_BYTES_MAX = 64 * 1024
RUN_CHECK_END_BYTES_MAX = 128 * 1024
RUN_CHECK_OUTPUT_CHARS_MAX = 8_000
# Checks that are run in one go: their outputs fit into one event.
RUN_CHECKS_MAX = 100
# How long a task is held without a word of work on it; work renews that in its second half.
RUN_CLAIM_MS = 2 * 60 * 60 * 1000
# What a claim may say at most: whoever can write the repository could type any year.
RUN_CLAIM_MS_MAX = 24 * 60 * 60 * 1000
# How long a run is driven without a word of its driver; others may take it up then.
RUN_DRIVE_MS = 10 * 60 * 1000
# How long a command that claims a task waits for a remote, in all.
RUN_CLAIM_WAIT_MS = 15_000
