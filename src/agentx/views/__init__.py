"""From facts to views that join rooms."""
