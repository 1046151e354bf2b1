"""Runs: begun, worked on, looked at, taken up again."""
