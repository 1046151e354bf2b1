"""Whole documents in files, JSON and YAML, read by anyone and edited under lock."""
