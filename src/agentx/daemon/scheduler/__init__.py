"""What the house does by itself, and when: jobs on a schedule, and how each of them went."""
