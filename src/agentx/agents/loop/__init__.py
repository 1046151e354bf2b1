"""The loop: a model that works with tools until it is done, or bounded, or stopped."""
