"""Which project this is: settings, identity, time zone."""
