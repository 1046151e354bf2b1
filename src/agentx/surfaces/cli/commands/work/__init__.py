"""Agents and their work."""
