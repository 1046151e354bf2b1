"""What was said, taken in and erased."""
