"""Runs on a branch of their own, so that no checkout loses them."""
