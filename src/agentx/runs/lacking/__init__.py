"""What of a run is not in git here."""
