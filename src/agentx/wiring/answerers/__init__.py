"""Who answers in a role and needs more than its own runner."""
