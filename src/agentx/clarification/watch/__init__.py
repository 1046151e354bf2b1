"""What goes wrong among open clarifications: late, circling, waiting for each other."""
