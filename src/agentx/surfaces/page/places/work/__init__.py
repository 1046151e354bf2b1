"""What agents are at: questions and runs."""
