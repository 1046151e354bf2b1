"""How many kinds of secrets leak, and how often plain text is taken for one."""
