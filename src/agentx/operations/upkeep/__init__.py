"""How things stand, what is wrong, and the mend."""
