"""What a question asks for, and what fits it best."""
