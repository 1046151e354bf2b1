"""From facts to views that join rooms."""

from agentx.pipeline.search_view import Searchable, SearchView

__all__ = ["SearchView", "Searchable"]
