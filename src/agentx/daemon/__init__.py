"""The process that keeps a project's memory fresh and serves it."""
