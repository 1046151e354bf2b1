"""Bounds of draining the spool."""

# Spool files taken into one atomic batch.
DRAIN_BATCH_FILES_MAX = 500
DRAIN_BATCH_BYTES_MAX = 64 * 1024 * 1024
# Text in one frame of what is read ahead, and what is held of it: bounds memory.
FRAME_CHARS_MAX = 2_000_000
AHEAD_BYTES_MAX = 24 * 1024 * 1024
# Less than this is read sooner than a process starts.
AHEAD_WORTH_BYTES = 2 * 1024 * 1024
# Of a long history so much is taken into every view before the rest: recall knows the newest
# sessions after seconds. Then so much becomes findable at once, while the next is read, and
# each time twice as much: the older it is the less anybody waits for it, and the index is put
# together of fewer pieces.
NEWEST_BYTES = 2_000_000
SEARCHABLE_STEP_BYTES = 6_000_000
SEARCHABLE_STEP_BYTES_MAX = 24_000_000
# What was read of transcripts before it is noted on disk: what is read again after a kill.
CURSORS_STEP_BYTES = 4_000_000
# Damaged lines that are named; all are counted.
DAMAGED_LINES_SHOWN_MAX = 100
# A record is what a hook reads at most, and a line before it; no hook writes a larger file.
RECORD_BYTES_MAX = 80 * 1024 * 1024
HEADER_BYTES_MAX = 65_536

# Whoever tries a hook looks for what came of it; a drain throws away what is left of that later.
TRIAL_KEPT_MS = 30_000
