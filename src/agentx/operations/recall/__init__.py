"""What is remembered, found, told and proven."""
