"""Secrets and private text: found, and taken out before the first byte is written."""
