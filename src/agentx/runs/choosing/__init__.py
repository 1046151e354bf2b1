"""Which run, lane and task are meant."""
