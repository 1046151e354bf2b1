"""Where the events of questions lie: in the repository, beside it, and what is there."""
