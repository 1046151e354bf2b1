"""What is bound to a branch, with the branches of a project opened."""
