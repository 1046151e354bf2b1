"""What hears of what happens, and needs nothing else of a project."""
