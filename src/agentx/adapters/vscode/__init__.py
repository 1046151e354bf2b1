"""VS Code: an editor, of which nothing is captured; its agents ask over MCP."""
