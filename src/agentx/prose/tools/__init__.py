"""Tools by their kinds, and what settles on one."""
