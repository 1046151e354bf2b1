"""Whether a sentence settles something: what forbids or lays down, what only asks."""
