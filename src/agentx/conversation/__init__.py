"""The log: every event of every session, append-only; and the table of contents made from it."""
