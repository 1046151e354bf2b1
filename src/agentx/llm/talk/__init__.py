"""A conversation with tools: what is said to a model and back, in each provider's own form."""
