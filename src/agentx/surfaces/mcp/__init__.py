"""What an agent asks of its own memory, as MCP tools on stdio."""
