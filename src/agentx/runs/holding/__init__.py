"""Who holds a task: a value of the model, settled by pure rules."""
