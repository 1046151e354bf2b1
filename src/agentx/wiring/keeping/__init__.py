"""A project's memory kept safe: looked through, mended, written out, read back."""
