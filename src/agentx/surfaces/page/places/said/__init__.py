"""What was said: by time, by session, by words; and to erase it."""
