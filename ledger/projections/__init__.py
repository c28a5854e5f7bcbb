"""Read-only folds of the state, each with the seq it is true at."""
