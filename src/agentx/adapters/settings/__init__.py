"""The settings files of agent CLIs, edited as their owners would."""
