"""What one checkout holds, what that forbids others, and how it reads."""
