"""Carry a run from its plan to its pull request with agents that work in lanes."""
