"""Whose words lie in a repository: the marker, the user's record of it, and what follows."""
