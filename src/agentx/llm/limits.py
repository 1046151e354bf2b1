"""Bounds of asking a model."""

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
# What a provider adds to each line of a dialogue, and to each tool: roles, ids, names.
LLM_LINE_TOKENS_MAX = 60
# A model that fails so often in a row is left alone for a while, twice as long each time.
LLM_FAILURES_MAX = 3
LLM_REST_MS = 60_000
LLM_REST_MS_MAX = 15 * 60 * 1000
# A reservation this old was never settled: its process died. It is counted in full.
LLM_RESERVATION_MS_MAX = 60 * 60 * 1000
# Days the ledger of spending remembers.
LEDGER_DAYS_MAX = 400
# What an agent CLI may print: answers have ten kilobytes, what tells of them a hundred.
LLM_CLI_OUTPUT_BYTES_MAX = 4 * 1024 * 1024
# How long an agent CLI takes to start, besides its answer.
LLM_CLI_START_MS = 30_000
# How long one is left alone whose quota is used up, where it does not say, or whose output is no
# answer; twice as long each time in a row, up to a day. And at most, where it says until when.
LLM_CLI_REST_MS = 60 * 60 * 1000
LLM_CLI_REST_FAILING_MS_MAX = 24 * 60 * 60 * 1000
LLM_CLI_REST_MS_MAX = 8 * 24 * 60 * 60 * 1000
# What the judging and the summaries of one session take, as measured on real sessions: said
# to a user who is asked whether to switch it on.
LLM_CLI_SESSION_TOKENS = 35_000
# Connections of one link that can be broken off from outside; it opens one after the other.
LLM_LINES_KEPT_MAX = 8
