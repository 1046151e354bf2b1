"""What people say on an issue's page: its parts, what the page showed them, what it settles."""
