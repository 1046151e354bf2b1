"""Three weeks of a small team, replayed."""
