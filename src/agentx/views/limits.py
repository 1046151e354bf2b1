"""How much a view takes in one step."""

# Log entries and nodes indexed in one commit: bounds memory, how late a hit can be, and what is
# done again by who goes on after a command that ended amid it.
INDEX_BATCH_EVENTS_MAX = 500
INDEX_FIRST_EVENTS = 60
INDEX_BATCH_NODES_MAX = 300
# Sessions one run of the job hands to a model: bounds how long it takes and what it may cost.
MODEL_EXTRACTION_SESSIONS_MAX = 10
# Commits that are looked at to tell which files changed since an observation: a year of work.
FILE_HISTORY_COMMITS_MAX = 20_000
# A session of which nothing was heard for so long is over, or at least worth capturing.
CAPTURE_QUIET_MS = 30 * 60 * 1000
# One pass of capturing: an imported history must not hold up everything else.
CAPTURE_SESSIONS_MAX = 200
CAPTURE_PASS_MS_MAX = 5_000
# Of more sessions than these the newest so many go first, the others as they happened.
CAPTURE_IN_ORDER_MAX = 20
# Of a longer session the end is read: what stood before was captured when it was the end.
CAPTURE_EVENTS_MAX = 20_000
# What is remembered of a session's captures, to tell news from what was taken before.
CAPTURE_TAKEN_MAX = 400
# Documents whose recalls are counted, and notes remembered so that none counts twice. A drain
# that was killed takes the same batch again, so more notes than a batch of it has files.
RECALLED_DOCUMENTS_MAX = 20_000
RECALLED_NOTES_MAX = 2_000
# Of the last times that sessions were told something it is known what and when.
TELLINGS_KEPT_MAX = 100
TELLING_IDS_MAX = 200
# Of so many sessions that wait another process works some out; so many it is asked for at once,
# so much of what it made is held, and of those that were asked for the last stay. Who waits for it
# reads some meanwhile, so many are held. One session takes it seconds at most: after so long it
# hangs.
AHEAD_SESSIONS_MIN = 8
AHEAD_ASKED_MAX = 5
AHEAD_HELD_BYTES_MAX = 16 * 1024 * 1024
AHEAD_SESSIONS_SEEN = 16
AHEAD_TAKEN_MAX = 200
AHEAD_WAIT_S = 120
