"""What a run looks like beside its events: files, contracts, the index, the pull request."""
