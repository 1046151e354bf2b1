"""What must be told with anything, wherever it is found."""
