"""Claude Code: its hooks and its transcripts, in our words."""
