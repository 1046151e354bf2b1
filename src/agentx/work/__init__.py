"""Work: issues, agents at work, workflows, what is ready and what a week brought."""
