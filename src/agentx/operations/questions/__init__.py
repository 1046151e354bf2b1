"""What agents ask each other."""
