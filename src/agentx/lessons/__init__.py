"""Long-term memory: what runs taught, with confidence that rises and falls."""
