"""What happens when a tool is called, a prompt or a resource opened; imported then."""
