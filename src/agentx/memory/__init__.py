"""What every verb sees of a project's memory, opened here or served by a daemon."""
