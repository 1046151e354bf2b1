"""Which role is played: set for one session, or for a project, or said where something is run."""
