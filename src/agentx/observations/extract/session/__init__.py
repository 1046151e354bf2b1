"""What was found in a session: who said it, and which files it speaks of."""
