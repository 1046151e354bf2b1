"""The tools of a loop: what they are called, what they may touch, what they do."""
