"""Where work is kept: files under lock, or GitHub."""
