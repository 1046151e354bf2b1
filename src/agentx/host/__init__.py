"""The machine: the only code that touches disk, processes, git and the clock."""
