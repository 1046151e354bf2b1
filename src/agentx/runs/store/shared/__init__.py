"""The branches of a run that several clones work on: names, fetched, copied, really merged."""
