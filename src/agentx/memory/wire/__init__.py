"""The memory's values as messages on the wire."""
