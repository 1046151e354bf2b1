"""What hooks print: at session start, at a prompt and at an action; and the note of it."""
