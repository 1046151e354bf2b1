"""What a driver does next with a run. Pure: it looks at the run and says what is to be done."""
