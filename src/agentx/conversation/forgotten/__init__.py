"""What was forgotten, and how it is known again."""
