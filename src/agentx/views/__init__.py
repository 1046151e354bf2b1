"""From facts to views that join rooms."""

from agentx.views.search_view import Searchable, SearchView

__all__ = ["SearchView", "Searchable"]
