"""Whose words a prompt holds: the person's, a program's, or somebody else's."""
