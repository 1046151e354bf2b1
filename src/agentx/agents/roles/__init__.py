"""The instructions of each role: what ships, and what a project made of it."""
