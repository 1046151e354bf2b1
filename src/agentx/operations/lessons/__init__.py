"""What runs taught."""
