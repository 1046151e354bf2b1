"""Bounds that several floors share, each with its reason. Units come last.

What one room alone keeps to stands in its own `limits`.
"""

# One text of an event (a prompt, a reply, a tool result). The cut is marked in the text.
EVENT_TEXT_CHARS_MAX = 1_000_000
# Deeper structures are flattened to text: nothing reads them, and parsers recurse.
METADATA_DEPTH_MAX = 32
# Ids that agent CLIs give are far shorter; a longer one is replaced by its hash.
SESSION_ID_CHARS_MAX = 200
# Events in one atomic batch: bounds memory and the time a batch holds the store.
APPEND_BATCH_EVENTS_MAX = 1_000
# Nodes of the table of contents in one page.
TOC_PAGE_MAX = 500
# GitHub's own bound, which local issues share so that they can move there.
ISSUE_TITLE_CHARS_MAX = 256
ISSUE_BODY_CHARS_MAX = 65_536
# Numbers stay exact in every JSON reader and short enough to be a file's name.
ISSUE_NUMBER_MAX = 999_999_999
# Rounds before a person is called. A workflow may ask for fewer, never for more.
CLARIFY_ROUNDS_BLOCKING_MAX = 5
CLARIFY_ROUNDS_NON_BLOCKING_MAX = 6
CLARIFY_SLA_MINUTES_DEFAULT = 30
# What one entry of a thread holds; an agent's longer answer is cut, a person's is refused.
CLARIFY_TOPIC_CHARS_MAX = 200
CLARIFY_TEXT_CHARS_MAX = 2_000
# How long an observation may be (specified).
OBSERVATION_CHARS_MAX = 2_000
# One text in an event of a run; an artifact may be longer.
RUN_TEXT_CHARS_MAX = 100_000
# A title is a line: what is longer than a few of them is no title.
RUN_TITLE_CHARS_MAX = 300
