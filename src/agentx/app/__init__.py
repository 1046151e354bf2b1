"""The composition root: settings, wiring and the verbs of the product."""
