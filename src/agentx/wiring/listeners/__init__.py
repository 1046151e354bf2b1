"""Who listens when something happened: the log, GitHub, the observations."""
