"""What a session left open: in whose words, for whom it waits, and how it is kept."""
