"""What questions are called, and what their names meant before."""
