"""What is known already: whether memory answers a question before anybody is asked."""
