"""Bounds of the log and of its table of contents."""

# An event that claims a time further ahead than this has a wrong clock.
CLOCK_AHEAD_MS_MAX = 24 * 60 * 60 * 1000
# No agent CLI existed before 2015: an earlier time is a wrong clock or a missing one.
EVENT_TIME_MS_MIN = 1_420_070_400_000
# Two deliveries of the same payload within this time are one event that two hooks saw.
SAME_DELIVERY_MS_MAX = 1_000
# Events of one page.
EVENTS_PAGE_MAX = 10_000
# Rows a filtered page may look at before it returns with a cursor.
SCAN_ROWS_MAX = 200_000
# Payloads that are held after they were written, for who follows the log: what one step of an
# import makes findable.
FRESH_BYTES_MAX = 24 * 1024 * 1024
# Silence longer than this ends a segment: people come back to another thought.
SEGMENT_GAP_MS = 30 * 60 * 1000
# What a segment holds at most: as much as one summary can do justice to.
SEGMENT_TOKENS_MAX = 4_000
# A segment this full ends before the next prompt rather than amid its answer.
SEGMENT_FULL_TOKENS = 3_000
# Of a tool's call and of its output this much counts: a task is as long as what is said of it.
SEGMENT_TOOL_TOKENS_MAX = 50
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
TOC_FIRST_EVENTS = 100
# Periods rolled in one change, for the same reason.
TOC_BATCH_PERIODS_MAX = 50
# Events on each side of a grip.
EXPAND_EVENTS_MAX = 200
# What the summariser reads of what a tool printed: its ends, as of any event.
SUMMARY_TOOL_HEAD_CHARS_MAX = 1_000
SUMMARY_TOOL_TAIL_CHARS_MAX = 2_000
# What a model is shown of a segment: all of an ordinary one with its context, and the framing.
MODEL_SUMMARY_TOKENS_MAX = 6_500
# A title, five lines with their quotations, and key words, in any script.
MODEL_SUMMARY_OUTPUT_TOKENS_MAX = 2_000
