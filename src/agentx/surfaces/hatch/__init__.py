"""The hatch of a daemon: small requests in JSON, answered on a socket of their own."""
