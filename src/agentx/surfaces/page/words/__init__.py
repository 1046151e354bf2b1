"""How words are drawn: Markdown, code, what changed, and the turns of a session."""
