"""Daemons that nobody started by hand."""
