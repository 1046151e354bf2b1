"""Git: what it knows of a folder, and what it is asked to do."""
