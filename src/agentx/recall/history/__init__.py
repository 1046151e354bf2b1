"""Questions about time and place, answered from the table of contents and the newest sessions."""
