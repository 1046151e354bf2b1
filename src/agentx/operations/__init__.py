"""Every verb of the product, once, as a plain function."""
