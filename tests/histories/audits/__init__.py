"""The auditor's own model, one family a module: what the events said, and whether they were allowed to."""
