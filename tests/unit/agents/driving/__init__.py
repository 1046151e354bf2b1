"""What agents are told and how they report."""
