"""Whose words the events of lessons are: which must be signed, and who vouches for them."""
