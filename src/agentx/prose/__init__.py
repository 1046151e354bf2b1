"""What people and agents write, read without a model: sentences, the words of a topic, titles."""
