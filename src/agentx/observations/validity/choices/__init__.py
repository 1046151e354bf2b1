"""What was chosen, and what is chosen for it later."""
