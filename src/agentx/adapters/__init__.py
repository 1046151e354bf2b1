"""One file per agent CLI: what its hooks and transcripts say, in our words."""
