"""Tasks and lanes that change hands."""
