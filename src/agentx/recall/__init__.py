"""The read side: a question becomes a plan, the plan evidence, the evidence an answer."""
