"""What changes the order of what was found: answers, reasons, and what holds come first."""
