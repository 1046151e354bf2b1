"""gRPC: the daemon and its client."""
