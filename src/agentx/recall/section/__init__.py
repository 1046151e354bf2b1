"""What is put in front of an agent: gathered, rendered, prepared for hooks."""
