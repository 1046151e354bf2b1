"""The programs that agent CLIs call: what is written, and a trial of it."""
