"""Bounds of the loop. What a person may set for one sitting is a default here."""

# One sitting: from when it begins, or is taken up, until it ends.
LOOP_TURNS_DEFAULT = 60
LOOP_TURNS_MAX = 1_000
LOOP_TOKENS_DEFAULT = 1_000_000
LOOP_USD_DEFAULT = 2.0
# What a model may write in one reply: a file of some hundred lines.
LOOP_REPLY_TOKENS_MAX = 8_000
# Calls in one reply; what is beyond is not done, and the model is told.
LOOP_CALLS_IN_REPLY_MAX = 16
# The same call, since something was changed: warned, not done any more, stopped (specified).
LOOP_REPEATS = (10, 20, 30)
# Two calls in turn, and one call with one result (specified).
LOOP_PAIRS = (5, 10, 15)
LOOP_SAME_RESULTS = (5, 10, 15)
# Calls in a row that brought nothing new: failed, or known already.
LOOP_FRUITLESS = (8, 24, 24)
# In a row: calls that cannot be read, replies without a word, replies that were cut off.
LOOP_MALFORMED_MAX = 5
LOOP_EMPTY_MAX = 3
LOOP_CUT_OFF_MAX = 3
# How many calls back the guards look.
LOOP_TRIED_KEPT_MAX = 120
# What the model is told of one call; the rest is cut out of the middle.
LOOP_RESULT_CHARS_MAX = 30_000
# Files that are read or written whole, and what one look at a file may show.
LOOP_FILE_BYTES_MAX = 2 * 1024 * 1024
LOOP_LINES_SHOWN_MAX = 800
# What listing and searching look at, and show.
LOOP_LISTED_MAX = 500
LOOP_FILES_WALKED_MAX = 20_000
LOOP_FOUND_MAX = 100
LOOP_FOLDERS_DEEP_MAX = 60
LOOP_SEARCH_MS_MAX = 10_000
# A command: how long it may take unless the model says more, and at most; what it may print.
LOOP_COMMAND_S_DEFAULT = 120
LOOP_COMMAND_S_MAX = 1_800
LOOP_COMMAND_OUTPUT_BYTES_MAX = 20_000
LOOP_COMMAND_END_BYTES_MAX = 10_000
LOOP_COMMAND_WORDS_MAX = 200
LOOP_COMMAND_CHARS_MAX = 20_000
# What recall may put in front of the model at once.
LOOP_RECALL_TOKENS = 3_000
# A file of a session; a conversation is compacted long before it is so long.
LOOP_SESSION_BYTES_MAX = 32 * 1024 * 1024
# Files that a session changed, by name; beyond that they are counted.
LOOP_CHANGED_NAMED_MAX = 500
