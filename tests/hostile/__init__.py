"""A stranger's repository, full of tricks, and a user who opens it."""
