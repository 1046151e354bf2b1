"""From the spool into the log."""
