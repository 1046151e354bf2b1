"""What a run is made of, besides its tasks and lanes."""
