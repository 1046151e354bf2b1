"""What was learnt: memories, where they lie, what is told of them, lessons."""
