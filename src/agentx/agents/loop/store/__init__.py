"""What a loop keeps on disk, and what it touches in the project's folder."""
