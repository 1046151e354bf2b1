"""A session as the rules read it: turns, exchanges, tools, commands, lines."""
