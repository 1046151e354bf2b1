"""The first page: what came since somebody looked last."""
