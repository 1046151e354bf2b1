"""What the server offers, as tables that import nothing: tools, prompts, resources."""
