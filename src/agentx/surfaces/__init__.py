"""The ways in: each parses, calls one operation, renders."""
