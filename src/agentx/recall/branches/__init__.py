"""What was learnt on a branch, told where it holds and elsewhere as that."""
