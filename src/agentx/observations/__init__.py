"""The observations: what agents decided, changed, broke and found out, kept per issue."""
