"""An issue carried along its workflow by agents, step by step."""
