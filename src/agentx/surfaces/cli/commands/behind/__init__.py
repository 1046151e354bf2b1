"""What stands behind it: the daemon, the settings, the logs."""
