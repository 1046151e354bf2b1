"""Agent X: the hub through which agents ask each other, and the only way they do."""
