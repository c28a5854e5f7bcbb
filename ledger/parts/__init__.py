"""The parts of a state that belong to one family of rules each."""
