"""AgentX taken out again: of agent CLIs, of services, of projects, and its memory if wished."""
