"""Whose words events are, and what those may not do that nobody vouches for."""
