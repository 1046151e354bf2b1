"""What a hook reads of a payload at most."""

# A hook reads this much of a payload; a larger one is cut and marked. Agent CLIs cap their own
# tool results far below; what is larger is a fault, and the agent must not wait for us to copy it.
HOOK_PAYLOAD_BYTES_MAX = 64 * 1024 * 1024
# Up to here a payload is spooled as it came, without being parsed.
HOOK_PAYLOAD_PLAIN_BYTES_MAX = 1024 * 1024
# All texts of a payload that a hook looks through for secrets: it takes some 0.2 s a million.
# A payload with more is kept as one text, cut in the middle.
HOOK_TEXTS_CHARS_MAX = 8_000_000
