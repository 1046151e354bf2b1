"""What can be found, room by room."""
