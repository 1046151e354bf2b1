"""How an agent is asked: a person, a script, or an agent CLI without a terminal."""
