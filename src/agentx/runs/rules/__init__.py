"""What may happen in a run, and what it adds up to. Pure."""
