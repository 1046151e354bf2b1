"""Issues, their order, their workflows."""
