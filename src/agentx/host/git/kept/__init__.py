"""What git said and is not asked again while it would say the same."""
