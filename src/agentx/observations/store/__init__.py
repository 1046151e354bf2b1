"""Where observations lie: JSON files a person can open, or SQLite for very many.

The two are imported from their own modules: who uses the one need not load the other.
"""
