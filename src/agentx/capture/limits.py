"""Bounds of draining the spool."""

# Spool files taken into one atomic batch.
DRAIN_BATCH_FILES_MAX = 500
DRAIN_BATCH_BYTES_MAX = 64 * 1024 * 1024
# Damaged lines that are named; all are counted.
DAMAGED_LINES_SHOWN_MAX = 100
# A record is what a hook reads at most, and a line before it; no hook writes a larger file.
RECORD_BYTES_MAX = 80 * 1024 * 1024
HEADER_BYTES_MAX = 65_536

# Whoever tries a hook looks for what came of it; a drain throws away what is left of that later.
TRIAL_KEPT_MS = 30_000
