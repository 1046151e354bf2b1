"""Every bound of the house, with its reason. Units come last."""

from __future__ import annotations

# --- capture --------------------------------------------------------------------------------

# A hook reads this much of a payload; a larger one is cut and marked. Agent CLIs cap their own
# tool results far below; what is larger is a fault, and the agent must not wait for us to copy it.
HOOK_PAYLOAD_BYTES_MAX = 64 * 1024 * 1024
# Up to here a payload is spooled as it came, without being parsed.
HOOK_PAYLOAD_PLAIN_BYTES_MAX = 1024 * 1024
# All texts of a payload that a hook looks through for secrets: it takes some 0.2 s a million.
# A payload with more is kept as one text, cut in the middle.
HOOK_TEXTS_CHARS_MAX = 8_000_000
# One text of an event (a prompt, a reply, a tool result). The cut is marked in the text.
EVENT_TEXT_CHARS_MAX = 1_000_000
# One string inside an event's metadata (a tool's input, a patch).
METADATA_TEXT_CHARS_MAX = 200_000
# Deeper structures are flattened to text: nothing reads them, and parsers recurse.
METADATA_DEPTH_MAX = 32
# Ids that agent CLIs give are far shorter; a longer one is replaced by its hash.
SESSION_ID_CHARS_MAX = 200
# An event that claims a time further ahead than this has a wrong clock.
CLOCK_AHEAD_MS_MAX = 24 * 60 * 60 * 1000
# No agent CLI existed before 2015: an earlier time is a wrong clock or a missing one.
EVENT_TIME_MS_MIN = 1_420_070_400_000
# Two deliveries of the same payload within this time are one event that two hooks saw.
SAME_DELIVERY_MS_MAX = 1_000
# Spool files taken into one atomic batch.
DRAIN_BATCH_FILES_MAX = 500
DRAIN_BATCH_BYTES_MAX = 64 * 1024 * 1024
# One line of a transcript. Agent CLIs keep pictures in them; what is larger is a fault.
TRANSCRIPT_LINE_BYTES_MAX = 64 * 1024 * 1024
# How far into a transcript we look for the directory it ran in.
TRANSCRIPT_HEAD_LINES_MAX = 50
TRANSCRIPT_HEAD_BYTES_MAX = 1024 * 1024
# How long a reader waits while OpenCode holds its own database.
OPENCODE_LOCK_WAIT_MS = 2_000
# Gemini CLI's hooks get replies with stray blanks; up to this size its transcript is asked for the
# words as they were written, because it is read once for every reply.
GEMINI_REPLY_FILE_BYTES_MAX = 4 * 1024 * 1024
# Events in one atomic batch: bounds memory and the time a batch holds the store.
APPEND_BATCH_EVENTS_MAX = 1_000

# --- reading --------------------------------------------------------------------------------

EVENTS_PAGE_MAX = 10_000
EVENTS_PAGE_DEFAULT = 50
# Rows a filtered page may look at before it returns with a cursor.
SCAN_ROWS_MAX = 200_000

# --- locks (the constants of the specification are the outer bounds) -------------------------

LOCK_STALE_MS = 30_000
LOCK_HEARTBEAT_MS = 5_000
LOCK_TRIES_MAX = 5
LOCK_FIRST_WAIT_MS = 200
LOCK_LAST_WAIT_MS = 5_000
LOCK_POLL_MS = 10

# --- store ----------------------------------------------------------------------------------

# The outbox only wakes projections; past this size RocksDB drops its oldest files.
OUTBOX_BYTES_MAX = 64 * 1024 * 1024
# How long a command waits for another one that has the store open.
STORE_OPEN_WAIT_MS = 10_000

# --- bus and log ----------------------------------------------------------------------------

BUS_HISTORY_MAX = 200
LOG_FILE_BYTES_MAX = 5 * 1024 * 1024
LOG_FILES_MAX = 5

# --- daemon ---------------------------------------------------------------------------------

DAEMON_DRAIN_EVERY_MS = 250
# Views follow the log this closely: captured to seen in under two seconds.
DAEMON_VIEWS_EVERY_MS = 500
# The longest rest after looking in vain at a spool of very many folders: what is captured must be
# searchable within 2 s.
DAEMON_DRAIN_REST_MS_MAX = 1_000
DAEMON_START_WAIT_MS = 15_000
DAEMON_STOP_WAIT_MS = 20_000
DAEMON_IDLE_EXIT_MS = 30 * 60 * 1000
# The lock is free at once, unless somebody is just looking whether it is held.
DAEMON_LOCK_WAIT_MS = 500
# How long calls that are at work may take once the daemon was told to stop, and how long their
# answers may travel. A call that only waits for its caller is not waited for.
DAEMON_GRACE_MS = 5_000
DAEMON_FAREWELL_MS = 250
# Calls come in a row: nobody is at work once nobody was for this long.
DAEMON_LULL_MS = 50
# The views wait for a lull before each step, but no longer than this: they must not fall behind.
DAEMON_VIEWS_REST_MS_MAX = 250
# How often a command looks whether the daemon has come up or gone.
DAEMON_POLL_MS = 20
# How often the daemon looks whether it is idle, its log is full or its folder is gone.
DAEMON_WATCH_EVERY_MS = 5_000
# A job that fails waits twice as long each time, up to here.
JOB_RETRY_MS_MAX = 60_000
# What is shown of the daemon's log when it does not come up.
DAEMON_LOG_TAIL_LINES = 20
# A stream holds a thread for as long as it is open; more calls than this at once are refused.
RPC_CALLS_MAX = 64
RPC_MESSAGE_BYTES_MAX = 64 * 1024 * 1024
# A client closes a batch here, so that one of long texts stays far below a message's bound.
RPC_BATCH_BYTES_MAX = 8 * 1024 * 1024
# Batches sent ahead of their acknowledgements: enough to keep both ends busy.
RPC_BATCHES_AHEAD_MAX = 4
# Deadlines: of a question, of a batch, and of work that grows with the store or the spool.
RPC_WAIT_MS = 30_000
RPC_INGEST_WAIT_MS = 60_000
RPC_LONG_WAIT_MS = 600_000
# A stream older than this is ended before the next batch, so that a batch has most of its deadline.
RPC_STREAM_AGE_MS_MAX = 10_000
# An error's sentence and its hint travel in headers, which clients refuse beyond 8 KB now and then;
# a character may take 12 bytes there, in a hint 6.
RPC_ERROR_CHARS_MAX = 400
# The kernel allows 108 bytes, the last one NUL.
UNIX_SOCKET_PATH_BYTES_MAX = 107

# --- scheduler ------------------------------------------------------------------------------

# Jobs that run at once: they are to leave the machine to its user.
JOBS_RUNNING_MAX = 2
# How often the time is looked at: a clock that is set, or a lid that is opened, tells nobody.
SCHEDULER_LOOK_EVERY_MS = 1_000
# How long a job that runs may take once the daemon was told to stop. With the calls in flight it
# must stay below DAEMON_STOP_WAIT_MS.
SCHEDULER_STOP_WAIT_MS = 10_000
# What is kept of what a job said, or of why it failed; the daemon's log has all of it.
JOB_ERROR_CHARS_MAX = 1_000

# --- leftovers ------------------------------------------------------------------------------

# Copies of settings files are for undoing; the newest of each file stays for good.
BACKUPS_KEPT_MS = 90 * 24 * 60 * 60 * 1000
# A full daemon log that was put aside.
DAEMON_LOG_KEPT_MS = 30 * 24 * 60 * 60 * 1000
# What a killed process left half-written. It takes milliseconds to write.
UNFINISHED_KEPT_MS = 24 * 60 * 60 * 1000

# --- the table of contents ------------------------------------------------------------------

# Silence longer than this ends a segment: people come back to another thought.
SEGMENT_GAP_MS = 30 * 60 * 1000
# What a segment holds at most: as much as one summary can do justice to.
SEGMENT_TOKENS_MAX = 4_000
# A segment this full ends before the next prompt rather than amid its answer.
SEGMENT_FULL_TOKENS = 3_000
# Of a tool's output this much counts: a summary reads its ends, not its body.
SEGMENT_TOOL_TOKENS_MAX = 250
# Events without text cost nothing, and a segment must still be held in memory.
SEGMENT_EVENTS_MAX = 1_000
# What came just before a segment, shown to the summariser and not summarised.
SEGMENT_OVERLAP_MS = 5 * 60 * 1000
SEGMENT_OVERLAP_TOKENS_MAX = 500
# Lines under a heading: what a person takes in at a glance.
SEGMENT_BULLETS_MAX = 5
DAY_BULLETS_MAX = 5
WEEK_BULLETS_MAX = 5
MONTH_BULLETS_MAX = 7
YEAR_BULLETS_MAX = 10
BULLET_CHARS_MAX = 240
# A sentence longer than this is none; its beginning is proof enough.
EXCERPT_CHARS_MAX = 1_000
TITLE_CHARS_MAX = 70
KEYWORDS_MAX = 12
# Grips of one bullet: more evidence proves no more.
BULLET_GRIPS_MAX = 8
# Topics a period hands to the one above it.
TOPICS_MAX = 12
# Sessions and issues a node lists; it counts the rest.
NODE_SESSIONS_MAX = 500
NODE_ISSUES_MAX = 200
# Versions of a node that are kept: a day is rolled again with every few events.
NODE_VERSIONS_MAX = 20
# Outbox entries taken into one change of the table of contents: bounds how long it has the store.
TOC_BATCH_EVENTS_MAX = 500
# Periods rolled in one change, for the same reason.
TOC_BATCH_PERIODS_MAX = 50
# Segments one run of the job hands to a model: bounds how long it takes and what it may cost.
POLISH_SEGMENTS_MAX = 20
# Nodes in one page, and events on each side of a grip.
TOC_PAGE_MAX = 500
EXPAND_EVENTS_MAX = 200
# What the summariser reads of one event: the head, where the point is, and the tail, where the
# outcome is. Bounds the work on a 1 MB line.
SUMMARY_HEAD_CHARS_MAX = 8_000
SUMMARY_TAIL_CHARS_MAX = 4_000
SUMMARY_TOOL_HEAD_CHARS_MAX = 1_000
SUMMARY_TOOL_TAIL_CHARS_MAX = 2_000

# --- models ---------------------------------------------------------------------------------

# How often one question is asked when the provider is busy or away.
LLM_TRIES_MAX = 4
# Waits between tries double from the first; a provider that asks for a longer one is left alone.
LLM_FIRST_WAIT_MS = 500
LLM_WAIT_MS_MAX = 20_000
# All tries of one question and the waits between them.
LLM_CALL_MS_MAX = 180_000
# A connection is there within seconds or not at all; the answer may take longer (`llm.timeout_s`).
LLM_CONNECT_MS_MAX = 10_000
# An answer of a few thousand tokens has some ten kilobytes; what is larger is a fault.
LLM_REPLY_BYTES_MAX = 1024 * 1024
# What is shown of a provider's own words.
LLM_REASON_CHARS_MAX = 200
# What a provider adds to a prompt (roles, tool descriptions): at most so many tokens.
LLM_ENVELOPE_TOKENS_MAX = 1_000
# A model that fails so often in a row is left alone for a while, twice as long each time.
LLM_FAILURES_MAX = 3
LLM_REST_MS = 60_000
LLM_REST_MS_MAX = 15 * 60 * 1000
# A reservation this old was never settled: its process died. It is counted in full.
LLM_RESERVATION_MS_MAX = 60 * 60 * 1000
# Days the ledger of spending remembers.
LEDGER_DAYS_MAX = 400
# What a model is shown of a segment: all of an ordinary one with its context, and the framing.
MODEL_SUMMARY_TOKENS_MAX = 6_500
# A title, five lines with their quotations, and key words, in any script.
MODEL_SUMMARY_OUTPUT_TOKENS_MAX = 2_000

# --- search ---------------------------------------------------------------------------------

# Longer words are hashes and encoded data; nobody asks for them, and they fill the dictionary.
SEARCH_TERM_CHARS_MAX = 80
# A query is a thought, not a document: what is longer is read up to here.
QUERY_CHARS_MAX = 20_000
# Terms of one query, the rarest first: more of them find nothing more and cost time each.
QUERY_TERMS_MAX = 48
# Terms a prefix or a misspelt word may stand for.
QUERY_EXPANSIONS_MAX = 24
# Words looked for beside those of a question; and one that so many records have tells little
# and costs the most.
QUERY_KIN_MAX = 16
KIN_RECORDS_MAX = 20_000
# Hits of one search.
SEARCH_HITS_MAX = 1_000
# Passages of one document: past it the middle of a text is not indexed, its ends are.
PASSAGES_MAX = 400
# A passage without blanks is still cut.
PASSAGE_CHARS_MAX = 4_000
# What a chapter holds: about a sitting of talk, and little enough to be indexed again on each turn.
CHAPTER_UNITS_MAX = 3_000
CHAPTER_DOCUMENT_UNITS_MAX = 1_500
# The writer's buffers; the engine wants 15 MB for each of its threads at least.
SEARCH_WRITER_BYTES = 32 * 1024 * 1024
# How long a command waits for another one that is writing to the index.
SEARCH_WRITER_WAIT_MS = 10_000
# What recall looks at before it ranks: hits of each scale, and sessions.
RECALL_PASSAGES_MAX = 300
RECALL_WINDOWS_MAX = 120
RECALL_CHAPTERS_MAX = 100
# Documents looked up only because their neighbours match, those of the best windows first.
RECALL_NEIGHBOURS_MAX = 150
# Words whose terms are kept at hand while snippets are marked: about 15 MB when full.
WORDS_KNOWN_MAX = 50_000
# Texts compared with each other for sameness; all pairs are looked at.
LIKENESS_HITS_MAX = 60

# --- vectors --------------------------------------------------------------------------------

# Tokens of one part that the model reads; MiniLM was taught with as many.
VECTOR_TOKENS_MAX = 256
# Tokens computed at once: what a processor's cache holds, and little enough to be left in time.
VECTOR_BATCH_TOKENS_MAX = 2_048
# Parts of one document: some three thousand words, the head and the tail of what is longer.
VECTOR_CHUNKS_MAX = 32
# What a tool printed is found by its words; of its meaning the beginning tells enough.
VECTOR_TOOL_CHARS_MAX = 2_000
# Up to here every vector is compared, 100,000 in some 20 ms and 150 MB; beyond, a graph finds them,
# and of what came after the graph a fifth as many are compared.
VECTOR_EXACT_ROWS_MAX = 100_000
# A segment that is this long is closed: no commit writes more of what it wrote before.
VECTOR_SEGMENT_ROWS_MAX = 2_048
# Rows taken into the graph in one step: about a second.
VECTOR_GRAPH_STEP_ROWS = 2_000
# Rows compared at once where neither memory nor a graph holds them.
VECTOR_BLOCK_ROWS = 20_000
# Events embedded before somebody may interrupt, and how long a slice goes on between commits.
VECTOR_BATCH_EVENTS_MAX = 8
VECTOR_SLICE_MS = 1_000
# Text embedded at once: a second or two, so that nobody who interrupts waits longer.
VECTOR_TOGETHER_CHARS_MAX = 8_000
# Slices one call asks for, and how often the daemon looks whether there is something to embed.
EMBED_SLICES_MAX = 10
DAEMON_EMBED_EVERY_MS = 1_000
# How often the rooms and the table of contents are looked at for what is new.
VECTOR_ROOMS_EVERY_MS = 5_000
# Hits of one search by meaning that a fusion looks at.
VECTOR_HITS_MAX = 200
# A table of tensors has some kilobytes; the weights of MiniLM have 90 MB.
MODEL_HEADER_BYTES_MAX = 16 * 1024 * 1024
MODEL_FILE_BYTES_MAX = 512 * 1024 * 1024
# How long a download may take in all.
MODEL_FETCH_MS_MAX = 600_000

# --- settings files of agent CLIs -----------------------------------------------------------

# How long an agent CLI may wait for our hook. It takes milliseconds; this bounds a sick disk.
HOOK_WAIT_SECONDS_MAX = 10
# Codex refuses to wait longer than this at the end of a session.
HOOK_WAIT_CODEX_SESSION_END_SECONDS_MAX = 3
# The largest settings file seen is a few megabytes (Claude Code keeps project state in one).
SETTINGS_FILE_BYTES_MAX = 32 * 1024 * 1024
# Deeper files are no settings, and the reader recurses.
SETTINGS_DEPTH_MAX = 100
# Copies kept of one settings file; the oldest go first.
SETTINGS_BACKUPS_MAX = 20

# --- import ---------------------------------------------------------------------------------

# Damaged lines that are named; all are counted.
DAMAGED_LINES_SHOWN_MAX = 100

# --- machine --------------------------------------------------------------------------------

# Git answers in milliseconds; on a dead network mount it never does.
GIT_WAIT_MS = 5_000
# How long one append waits for another to the same file; each takes milliseconds.
JOURNAL_WAIT_MS = 10_000
# One line of our own log; longer texts in it are cut.
LOG_LINE_BYTES_MAX = 64 * 1024

# --- search view ----------------------------------------------------------------------------

# Outbox entries indexed in one commit: bounds memory, and how late a hit can be.
INDEX_BATCH_EVENTS_MAX = 2_000

# --- work -----------------------------------------------------------------------------------

# GitHub's own bound, which local issues share so that they can move there.
ISSUE_TITLE_CHARS_MAX = 256
ISSUE_BODY_CHARS_MAX = 65_536
ISSUE_LABELS_MAX = 100
ISSUE_LABEL_CHARS_MAX = 50
# Numbers stay exact in every JSON reader and short enough to be a file's name.
ISSUE_NUMBER_MAX = 999_999_999
# A workflow is written by people; more than this is a generated fault.
WORKFLOW_FILE_BYTES_MAX = 256 * 1024
WORKFLOW_STEPS_MAX = 100
WORKFLOW_ITERATIONS_MAX = 100
# Rounds before a person is called. A workflow may ask for fewer, never for more.
CLARIFY_ROUNDS_BLOCKING_MAX = 5
CLARIFY_ROUNDS_NON_BLOCKING_MAX = 6
CLARIFY_SLA_MINUTES_DEFAULT = 30
CLARIFY_SLA_MINUTES_MAX = 7 * 24 * 60
# What one entry of a thread holds; an agent's longer answer is cut, a person's is refused.
CLARIFY_TOPIC_CHARS_MAX = 200
CLARIFY_TEXT_CHARS_MAX = 2_000
# An agent that failed is asked once more after this, and then a person is called.
CLARIFY_AGAIN_AFTER_MS = 30_000
# A question that nobody answered in time is asked again so often.
CLARIFY_RETRIES_MAX = 1
# What is put in front of an agent of a thread, and of each artifact of an issue.
CLARIFY_THREAD_TOKENS_MAX = 2_000
CLARIFY_ARTIFACT_CHARS_MAX = 24_000
CLARIFY_ARTIFACTS_MAX = 8
# One line for what a settled thread came to.
CLARIFY_SUMMARY_CHARS_MAX = 600
# How long the monitor waits for a ledger that others keep; whoever looks next does what is left.
CLARIFY_MONITOR_LOCK_WAIT_MS = 500
# Open questions that are shown to an agent at session start; the rest are counted.
CLARIFY_INBOX_MAX = 10
# How often `clarify ask --wait` looks whether somebody answered.
CLARIFY_POLL_MS = 250

# --- github ---------------------------------------------------------------------------------

# GitHub's largest page; more pages than this is a repository that must be filtered first.
GITHUB_PAGE_ROWS = 100
GITHUB_PAGES_MAX = 100
GITHUB_REPLY_BYTES_MAX = 32 * 1024 * 1024
# One request; and how often it is sent when GitHub is busy or broken.
GITHUB_CONNECT_WAIT_MS = 5_000
GITHUB_REPLY_WAIT_MS = 30_000
GITHUB_TRIES_MAX = 4
# A limit that ends sooner than this is waited for; a later one is told to the user.
GITHUB_REST_MS_MAX = 60_000
# What GitHub asks for when it names no time for a secondary limit.
GITHUB_REST_MS_DEFAULT = 60_000
# Pages kept for conditional requests and for being offline; the oldest go first.
GITHUB_CACHE_PAGES_MAX = 500
# What waits for GitHub to be reachable; beyond this something is wrong, and is said.
GITHUB_QUEUE_MAX = 10_000

# --- agents ---------------------------------------------------------------------------------

# How long an agent may think about one question; about a whole piece of work.
AGENT_ASK_WAIT_MS = 5 * 60 * 1000
AGENT_WORK_WAIT_MS = 60 * 60 * 1000
# How long an agent CLI that was told to end may take before it is killed.
AGENT_KILL_GRACE_MS = 2_000
# What an agent CLI may print before the rest is dropped: answers are thousands of times smaller.
AGENT_OUTPUT_BYTES_MAX = 32 * 1024 * 1024
# What an agent that is run is told of earlier work: enough for decisions, little beside its task.
AGENT_RECALL_TOKENS = 4_000
# What a role's own text may hold: it is sent with every question.
ROLE_TEXT_BYTES_MAX = 64 * 1024

# --- observations ---------------------------------------------------------------------------

# What one capture stores at most, and how long each may be (both specified).
OBSERVATIONS_PER_CAPTURE_MAX = 50
OBSERVATION_CHARS_MAX = 2_000
# A summary is a line to choose by: about 50 tokens.
OBSERVATION_SUMMARY_CHARS_MAX = 200
# Provenance of one observation: more ids prove no more.
OBSERVATION_EVENTS_MAX = 20
OBSERVATION_FILES_MAX = 20
# How long a process trusts the index it holds while the files look unchanged (specified).
MANIFEST_CACHE_MS = 30_000
# Older observations may be merged; their originals go to the archive (specified).
OBSERVATION_ARCHIVE_DAYS = 90
# Hits of one search unless more are asked for (specified).
OBSERVATION_SEARCH_LIMIT = 20
# What a model's context holds, and where a loop takes care of it (specified).
CONTEXT_TOKENS_MAX = 200_000
CONTEXT_WARN_PERCENT = 50
CONTEXT_COMPACT_PERCENT = 75
CONTEXT_CRITICAL_PERCENT = 90
# Messages of a conversation that stay as they were when it is compacted: the thread of thought.
COMPACTION_RECENT_MAX = 6
# What a compaction summary may cost: a tenth of what it stands for, and no more than this.
COMPACTION_SUMMARY_CHARS_MAX = 24_000
# What a model is shown of a session, and may answer: twenty observations with their quotations.
MODEL_EXTRACTION_TOKENS_MAX = 24_000
MODEL_EXTRACTION_OUTPUT_TOKENS_MAX = 4_000
# Sessions one run of the job hands to a model: bounds how long it takes and what it may cost.
MODEL_EXTRACTION_SESSIONS_MAX = 10
# Commits that are looked at to tell which files changed since an observation: a year of work.
FILE_HISTORY_COMMITS_MAX = 20_000
# A session of which nothing was heard for so long is over, or at least worth capturing.
CAPTURE_QUIET_MS = 30 * 60 * 1000
# One pass of capturing: an imported history must not hold up everything else.
CAPTURE_SESSIONS_MAX = 200
CAPTURE_PASS_MS_MAX = 5_000
# Of a longer session the end is read: what stood before was captured when it was the end.
CAPTURE_EVENTS_MAX = 20_000
# What is remembered of a session's captures, to tell news from what was taken before.
CAPTURE_TAKEN_MAX = 400
# Captures lie in the journal until somebody settles them into the JSON files; past this a capture
# settles by itself, so that readers never have more than this to read twice.
OBSERVATIONS_PENDING_BYTES_MAX = 8 * 1024 * 1024
# Observations a search adds to its word list by itself; more are left to `agentx sync`.
OBSERVATION_WORDS_BEHIND_MAX = 500
# Rows that a search ranks: the rarest words choose them.
OBSERVATION_CANDIDATES_MAX = 1_000
# Index rows that one recall weighs.
OBSERVATION_RECALL_ROWS_MAX = 500
# Past these a person is told to compact (specified).
OBSERVATION_STORE_BYTES_ALERT = 40 * 1024 * 1024
OBSERVATION_COUNT_ALERT = 40_000
# What reading one file again is taken to cost at most: nobody reads a whole log.
OBSERVATION_FILE_TOKENS_MAX = 5_000

# --- runs -----------------------------------------------------------------------------------

# One line of a run's events: an artifact is the longest, and a page of that size is a book.
RUN_EVENT_BYTES_MAX = 4 * 1024 * 1024
# One text in an event; an artifact may be longer.
RUN_TEXT_CHARS_MAX = 100_000
RUN_ARTIFACT_CHARS_MAX = 1_000_000
# Fields an event may have beyond those of its type.
RUN_DETAILS_MAX = 50
# A file of events is closed at this size: git keeps small files better than large ones.
RUN_EVENT_FILE_BYTES_MAX = 8 * 1024 * 1024
# More tasks than a person or a model can plan in one go.
RUN_TASKS_MAX = 5_000
# Lanes at work at once: each is a checkout of the whole repository.
RUN_LANES_OPEN_MAX = 32
# Faults of a run's files that are named; all are counted.
RUN_FAULTS_SHOWN_MAX = 20
# Git that writes: a checkout of a large repository takes a while, one that hangs never ends.
GIT_WORK_WAIT_MS = 300_000
# A source file handed to an agent with its task; longer ones are cut in the middle.
RUN_CONTEXT_FILE_CHARS_MAX = 40_000

# What a lesson is called when nobody gave it a name: the beginning of what it says.
LESSON_NAME_CHARS = 60
# What one run may teach; more is a log, not lessons.
LESSONS_PER_RUN_MAX = 30
# How long runs are kept (specified).
RUN_COMPLETED_DAYS = 30
RUN_FAILED_DAYS = 7

# --- recall and MCP -------------------------------------------------------------------------

# What `agentx recall` gives without being told, and what it may be told.
RECALL_TOKENS_DEFAULT = 20_000
RECALL_TOKENS_MAX = 200_000
# Documents whose recalls are counted, and notes remembered so that none counts twice. A drain
# that was killed takes the same batch again, so more notes than a batch has files.
RECALLED_DOCUMENTS_MAX = 20_000
RECALLED_NOTES_MAX = 4 * DRAIN_BATCH_FILES_MAX
# How long an agent CLI may wait for our MCP server: a second as a rule, more on a busy machine.
MCP_START_WAIT_SECONDS_MAX = 30
# An answer of an MCP tool. Claude Code warns at 10,000 tokens and cuts at 25,000.
MCP_ANSWER_TOKENS_MAX = 20_000
MCP_ANSWER_TOKENS_MIN = 200
# Ids opened in one call, rows of one search, events on each side in a timeline.
MCP_IDS_MAX = 50
MCP_ROWS_MAX = 100
MCP_AROUND_MAX = 50
# How long `--all-projects` waits for one store that somebody else has open.
OTHER_STORE_WAIT_MS = 1_000
# Lines below one line of `agentx why`.
WHY_LINES_MAX = 40
