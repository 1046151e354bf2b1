"""Ended sessions to observations, once each."""
