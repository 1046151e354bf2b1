"""Bounds of an answer to an MCP client."""

# An answer of an MCP tool. Claude Code warns at 10,000 tokens and cuts at 25,000.
MCP_ANSWER_TOKENS_MAX = 20_000
MCP_ANSWER_TOKENS_MIN = 200
# Rows of one search.
MCP_ROWS_MAX = 100
