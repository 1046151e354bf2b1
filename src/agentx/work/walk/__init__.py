"""The way of an issue through its workflow, as agents are taken along it."""
