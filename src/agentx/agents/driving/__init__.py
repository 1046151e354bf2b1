"""What a driver tells an agent, and how the plan and the report that come back are read."""
