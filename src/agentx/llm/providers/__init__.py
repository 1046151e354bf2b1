"""One module a provider: how it is asked, and how it answers."""
