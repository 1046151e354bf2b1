"""Bounds of the memory, and of speaking with a daemon that has it open."""

# One message, in both directions.
RPC_MESSAGE_BYTES_MAX = 64 * 1024 * 1024
# A client closes a batch here, so that one of long texts stays far below a message's bound.
RPC_BATCH_BYTES_MAX = 8 * 1024 * 1024
# Batches sent ahead of their acknowledgements: enough to keep both ends busy.
RPC_BATCHES_AHEAD_MAX = 4
# With more than so many news at once, the search index and the table of contents take turns.
BACKLOG_EVENTS = 1_000
# Log entries indexed in one commit by who imports a history, and goes on whatever happens.
SEARCHABLE_BATCH_EVENTS_MAX = 8_000
# Deadlines: of a question, of a batch, and of work that grows with the store or the spool.
RPC_WAIT_MS = 30_000
RPC_INGEST_WAIT_MS = 60_000
RPC_LONG_WAIT_MS = 600_000
# A stream older than this is ended before the next batch, so that a batch has most of its deadline.
RPC_STREAM_AGE_MS_MAX = 10_000
# An error's sentence and its hint travel in headers, which clients refuse beyond 8 KB now and then;
# a character may take 12 bytes there, in a hint 6.
RPC_ERROR_CHARS_MAX = 400
# Segments one run of the job hands to a model: bounds how long it takes and what it may cost.
POLISH_SEGMENTS_MAX = 20
# One question through the hatch, and its answer. A question is a few words and an id.
HATCH_REQUEST_BYTES_MAX = 1024 * 1024
HATCH_ANSWER_BYTES_MAX = RPC_MESSAGE_BYTES_MAX
# How long a question may take to arrive, and an answer to be taken.
HATCH_ARRIVAL_MS = 5_000
HATCH_DEPARTURE_MS = 30_000
