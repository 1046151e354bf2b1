"""One file a place of the page: what it asks the operations, and how that is drawn."""
