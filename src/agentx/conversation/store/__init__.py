"""The room on disk: the log, and the table of contents made from it."""
