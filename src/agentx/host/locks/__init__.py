"""Who may change a file: lock files that survive crashes, pauses and other tools."""
