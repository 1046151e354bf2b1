"""Whether what was observed still holds: replaced, closed, or its files changed since."""
