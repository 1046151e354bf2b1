"""Everything that calls a model: the port, one adapter a provider, and what may be spent.

Import the modules themselves: `port`, `settings` and `spending` are light, the adapters
(and with them `factory`) import an HTTP client.
"""
