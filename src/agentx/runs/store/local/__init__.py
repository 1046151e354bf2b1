"""What this machine alone notes: names of checkouts, what was shown."""
