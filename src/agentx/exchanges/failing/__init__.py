"""What failed in a session, why, and whether it passed since."""
