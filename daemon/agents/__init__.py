"""Programs that work through the API like any agent."""
