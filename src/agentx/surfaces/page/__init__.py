"""The page: what is remembered, for people who would rather look than read."""
