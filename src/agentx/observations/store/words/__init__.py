"""Which observations hold which words."""
