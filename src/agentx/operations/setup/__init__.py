"""AgentX added to agent CLIs and projects, and taken out again."""
