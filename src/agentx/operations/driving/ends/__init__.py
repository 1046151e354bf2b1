"""How a driven run comes to its end: the whole is verified, mended, handed over."""
