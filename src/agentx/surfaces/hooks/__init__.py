"""What agent CLIs call: stand-alone, fast, fail-open."""
