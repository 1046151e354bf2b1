"""Bounds of observations and of their store."""

# What one capture stores at most (specified).
OBSERVATIONS_PER_CAPTURE_MAX = 50
# A summary is a line to choose by: about 50 tokens.
OBSERVATION_SUMMARY_CHARS_MAX = 200
# What one observation rests on: more ids prove no more.
OBSERVATION_EVENTS_MAX = 20
OBSERVATION_FILES_MAX = 20
# How long a process trusts the index it holds while the files look unchanged (specified).
MANIFEST_CACHE_MS = 30_000
# Older observations may be merged; their originals go to the archive (specified).
OBSERVATION_ARCHIVE_DAYS = 90
# Hits of one search unless more are asked for (specified).
OBSERVATION_SEARCH_LIMIT = 20
# What a model is shown of a session, and may answer: twenty observations with their quotations.
MODEL_EXTRACTION_TOKENS_MAX = 24_000
MODEL_EXTRACTION_OUTPUT_TOKENS_MAX = 4_000
# Captures lie in the journal until somebody settles them into the JSON files; past this a capture
# settles by itself, so that readers never have more than this to read twice.
OBSERVATIONS_PENDING_BYTES_MAX = 8 * 1024 * 1024
# Observations a search adds to its word list by itself; more are left to `agentx sync`.
OBSERVATION_WORDS_BEHIND_MAX = 500
# Rows that a search ranks: the rarest words choose them.
OBSERVATION_CANDIDATES_MAX = 1_000
# Index rows that one recall weighs.
OBSERVATION_RECALL_ROWS_MAX = 500
# Pinned observations that are told whatever else there is: more would leave room for nothing else.
OBSERVATIONS_PINNED_TOLD_MAX = 12
# What people drop is compared with everything that is kept: bounds the work of a capture.
OBSERVATIONS_DROPPED_MAX = 5_000
# Of what people dropped and removed, the events that said it are named for the newest.
OBSERVATIONS_UNSAID_MAX = 5_000
# Of those that a dropped one kept out, the newest are named.
OBSERVATIONS_KEPT_OUT_NAMED_MAX = 100
# Of how often an error was seen again, the newest times are named.
OBSERVATION_REPEATS_MAX = 50
# Past these a person is told to compact (specified).
OBSERVATION_STORE_BYTES_ALERT = 40 * 1024 * 1024
OBSERVATION_COUNT_ALERT = 40_000
# What reading one file again is taken to cost at most: nobody reads a whole log.
OBSERVATION_FILE_TOKENS_MAX = 5_000
