"""What AgentX itself left half-done in a folder, told apart from what is somebody's."""
