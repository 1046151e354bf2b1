"""Issues on GitHub, through its REST API, on and off line."""
