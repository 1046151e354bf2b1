"""Bounds of what agent CLIs hand us, and of their settings."""

# One string inside an event's metadata (a tool's input, a patch).
METADATA_TEXT_CHARS_MAX = 200_000
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
# How long an agent CLI may wait for our hook. It takes milliseconds; this bounds a sick disk.
HOOK_WAIT_SECONDS_MAX = 10
# Codex refuses to wait longer than this at the end of a session.
HOOK_WAIT_CODEX_SESSION_END_SECONDS_MAX = 3
# The largest settings file seen is a few megabytes (Claude Code keeps project state in one).
SETTINGS_FILE_BYTES_MAX = 32 * 1024 * 1024
# Deeper files are no settings, and the reader recurses.
SETTINGS_DEPTH_MAX = 100
# How long an agent CLI may wait for our MCP server: a second as a rule, more on a busy machine.
MCP_START_WAIT_SECONDS_MAX = 30
# Copies kept of one settings file; the oldest go first.
SETTINGS_BACKUPS_MAX = 20
