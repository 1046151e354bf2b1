"""The types of events: what each holds."""
