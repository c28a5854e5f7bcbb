"""Small modules as they should be: a journey takes some of them, spoils one, and has the team find out how."""
