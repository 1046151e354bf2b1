"""The composition root: opens rooms, stores, hub and runners for one project."""
