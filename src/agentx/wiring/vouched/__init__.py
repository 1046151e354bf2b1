"""Memories that speak for people, held against what bears them out."""
