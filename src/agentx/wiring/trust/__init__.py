"""What trust means for the rooms of a project: what a repository holds, and what becomes ours."""
