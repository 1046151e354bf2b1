"""What is a secret over several words, lines or parts: private keys, seed phrases, private text."""
