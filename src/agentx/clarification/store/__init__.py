"""The ledgers on disk."""
