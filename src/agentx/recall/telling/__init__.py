"""What a session is told while it runs: at a prompt, and at an action."""
