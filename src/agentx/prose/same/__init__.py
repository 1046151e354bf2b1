"""When two texts say the same."""
