"""What is seen, as one file that leaves this machine: gathered, redacted again, written."""
