"""An issue carried along its workflow, put together for a project."""
