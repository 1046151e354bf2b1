"""What was learnt."""
