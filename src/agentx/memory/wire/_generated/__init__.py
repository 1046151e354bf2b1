"""Written by scripts/generate_proto.py out of proto/: do not edit."""
