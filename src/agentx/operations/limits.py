"""Bounds of single verbs."""

# Copies of settings files are for undoing; the newest of each file stays for good.
BACKUPS_KEPT_MS = 90 * 24 * 60 * 60 * 1000
# A full daemon log that was put aside.
DAEMON_LOG_KEPT_MS = 30 * 24 * 60 * 60 * 1000
# What a killed process left half-written. It takes milliseconds to write.
UNFINISHED_KEPT_MS = 24 * 60 * 60 * 1000
# How often `clarify ask --wait` looks whether somebody answered.
CLARIFY_POLL_MS = 250
# How often whoever waits looks for what has gone wrong among all questions.
CLARIFY_WATCH_EVERY_MS = 2_000
# How long an agent may take for a whole piece of work.
AGENT_WORK_WAIT_MS = 60 * 60 * 1000
# What an agent that is run is told of earlier work: enough for decisions, little beside its task.
AGENT_RECALL_TOKENS = 4_000
# What `agentx recall` gives without being told, and what it may be told.
RECALL_TOKENS_DEFAULT = 20_000
RECALL_TOKENS_MAX = 200_000
# Ids an agent may open in one call, and events on each side in a timeline.
MCP_IDS_MAX = 50
MCP_AROUND_MAX = 50
# A page of a stretch of time, of a session; and parts of a stretch that is no period.
STRETCH_SESSIONS_SHOWN = 15
SESSION_EVENTS_SHOWN = 20
STRETCH_PARTS_MAX = 14
# Events of one page of a session that is read as a conversation; and how many are looked at for
# what few of them are, before the reader is asked to go on.
SESSION_PART_EVENTS = 240
SESSION_PART_LOOKED_MAX = 1_200
# Lines below one line of `agentx why`.
WHY_LINES_MAX = 40
# Events erased in one step of a forgetting: one batch in the log, one pass of every view.
FORGET_BATCH_EVENTS_MAX = 2_000
# What is shown of what would go; all of it is counted.
FORGET_LINES_SHOWN = 10
# Memories that one sitting of `memory review` asks about.
REVIEW_MAX = 50
# One person has a few at a time; all of them are in `agentx sessions`.
LIVE_SESSIONS_SHOWN = 5
# What agents said on the way to a settled answer is kept whole for so long.
QUESTION_WHOLE_DAYS = 30
# How long a check may take where nobody says, and at most: a suite of hours is run elsewhere.
RUN_CHECK_WAIT_S = 600
RUN_CHECK_WAIT_S_MAX = 4 * 60 * 60
# What all agents together may take on an issue's way, unless a person says otherwise.
WALK_MINUTES = 4 * 60
WALK_TOKENS = 3_000_000
WALK_USD = 5.0
# What one agent's turn may print; its reply is a few kilobytes.
WALK_TURN_OUTPUT_BYTES_MAX = 1024 * 1024
