"""The user's own agent CLI as a model: how each is called, what it prints, one at a time."""
