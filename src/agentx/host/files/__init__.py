"""Files on this machine: replaced whole, appended durably, written as our own log."""
