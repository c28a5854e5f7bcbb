"""After-commit hooks: what was committed is told to programs and addresses of the owner's choice."""
